// @ts-check
/** Play, step, speed, and where we are: clock, attempt, step. */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { count, seconds } from "../shared/units.js";

/** @param {Element} target @param {View} view */
export function drawTransport(target, view) {
	const { player } = view;
	const button = (
		/** @type {string} */ key,
		/** @type {string} */ text,
		/** @type {() => void} */ click,
		/** @type {Record<string, any>} */ more = {},
	) =>
		h(
			"button",
			{ key, type: "button", title: t(`control.${key}`), "aria-label": t(`control.${key}`), on: { click }, ...more },
			text,
		);
	patch(target, [
		h(
			"div",
			{ key: "buttons", class: "transport-buttons", role: "group", "aria-label": t("control.group") },
			button("attemptback", "◂◂", () => player.attempt(-1), { class: "wide-only" }),
			button("back", "◂", () => player.back()),
			button("play", player.playing ? `❚❚ ${t("control.pause")}` : `▶ ${t("control.play")}`, () => player.play(), {
				class: "play",
				"aria-label": t(player.playing ? "control.pause" : "control.play"),
				title: t("control.space"),
			}),
			button("forward", "▸", () => player.forward()),
			button("attempton", "▸▸", () => player.attempt(1), { class: "wide-only" }),
		),
		h(
			"div",
			{ key: "speed", class: "transport-speed" },
			button("slower", "−", () => player.faster(-1)),
			h("span", { "aria-live": "off" }, `${player.speed}×`),
			button("faster", "+", () => player.faster(1)),
			button(
				"breakpoints",
				player.breakpoints.length ? `● ${player.breakpoints.length}` : "○",
				() => view.act.open("breakpoints"),
				{ class: player.hit ? "hit" : "" },
			),
		),
	]);
}

/** @param {Element} target @param {View} view */
export function drawClock(target, view) {
	const { state, store, run } = view;
	const total = Math.max(store.steps, run.steps);
	patch(target, [
		h("b", { key: "time", class: "clock" }, seconds(state.time)),
		h(
			"p",
			{ key: "where" },
			h(
				"span",
				null,
				store.complete
					? t("where.attempt", { n: state.attempt, total: view.index.attempts })
					: t("where.attempt.open", { n: state.attempt }),
			),
			h(
				"button",
				{ type: "button", class: "where-step", title: t("control.goto"), on: { click: () => view.act.open("goto") } },
				t("where.step", { n: count(view.step), total: count(Math.max(0, total - 1)) }),
			),
		),
		h(
			"button",
			{
				key: "lanes",
				type: "button",
				class: "lanes-switch",
				"aria-pressed": String(view.options.lanes),
				on: { click: () => view.act.set({ lanes: !view.options.lanes }) },
			},
			t("lanes.open"),
		),
	]);
}
