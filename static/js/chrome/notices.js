// @ts-check
/** What is said of a run that is not (yet) there. */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { post } from "../shared/server.js";
import { count } from "../shared/units.js";

/**
 * Bars over the page: still streaming, failed, cancelled, connection lost.
 * @param {Element} target
 * @param {View} view
 */
export function drawNotices(target, view) {
	const { run, store } = view;
	const lost = run.connection === "lost";
	const queued = run.state === "queued" && !store.steps;
	const running = !store.complete && (run.state === "running" || run.state === "queued");
	const share = run.steps ? Math.min(1, store.steps / run.steps) : 0;
	patch(target, [
		lost && h("p", { key: "lost", class: "notice warn" }, t("run.lost")),
		run.connection === "closed" &&
			!store.complete &&
			h("p", { key: "closed", class: "notice bad" }, run.message || t("run.closed")),
		running &&
			!lost &&
			h(
				"p",
				{ key: "running", class: "notice" },
				queued ? place(run) : t("run.running", { n: count(store.steps) }),
				!queued &&
					h(
						"progress",
						share
							? { value: String(share), max: "1", "aria-label": t("run.streaming") }
							: { "aria-label": t("run.streaming") },
					),
				run.cancel &&
					h("button", { type: "button", class: "cancel", on: { click: () => post(run.cancel, {}) } }, t("run.cancel")),
			),
		run.state === "failed" &&
			h("p", { key: "failed", class: "notice bad" }, t("run.failed"), run.message ? ` ${run.message}` : ""),
		run.state === "cancelled" && h("p", { key: "cancelled", class: "notice warn" }, t("run.cancelled")),
		view.player.hit && h("p", { key: "hit", class: "notice" }, t("breakpoints.hit")),
	]);
}

/** What a queued run waits for, as far as that is known. @param {View["run"]} run */
function place({ ahead }) {
	if (!ahead) return t("run.queued");
	const first = ahead.runs ? t("run.queued.behind", { n: ahead.runs }) : t("run.queued.next");
	return ahead.seconds ? `${first} ${duration(ahead.seconds)}` : first;
}

/** In seconds or minutes. @param {number} seconds */
function duration(seconds) {
	return seconds < 90
		? t("run.queued.seconds", { n: seconds })
		: t("run.queued.minutes", { n: Math.round(seconds / 60) });
}
