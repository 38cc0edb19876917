// @ts-check
/**
 * The preemption theatre. The floor opens: on each candidate node the lower-priority pods lift off, come back one by
 * one
 * or fall through; then the candidates go down a ladder of criteria until one is left.
 */

import { h, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { rampStyle } from "../../shared/priority.js";
import { amount, podName, quantity } from "../../shared/units.js";
import { allocatable, request, scarcest } from "../../trace/room.js";
import { filtered } from "../filter/model.js";
import { plainReason } from "../parts/plain_words.js";
import { noVictims, rungText } from "./captions.js";
import { actOf, fates, theatre } from "./model.js";
import { tank } from "./tank.js";

const MOST_TANKS = 6;
const DATES = 4; // the rung whose values are dates
const MOST_GROUPS = 8;
const MOST_NAMES = 8;
const SMALL = matchMedia("(max-width: 700px), (max-height: 640px)"); // there candidates lie

/** @param {Element} target @param {View} view */
export function draw(target, view) {
	const play = theatre(view.state);
	if (!play) return patch(target, []);
	const frame = view.event.type === "PreemptionEvaluated" ? view.frame : 1000;
	const shown = shownCandidates(play);
	const phone = SMALL.matches;
	patch(target, [
		h(
			"div",
			{
				key: "theatre",
				class: `theatre act-${actOf(play, frame).act}`,
				style: { "--columns": String(shown.length || 1) },
			},
			floor(view, play),
			!shown.length && nobody(view, play),
			shown.length > 0 && !phone && tanks(view, play, shown, frame),
			shown.length > 0 && (phone ? phoneLanes(view, play, shown, frame) : ladder(view, play, shown, frame)),
		),
	]);
}

/** The chosen one is always among them. @param {Theatre} play */
function shownCandidates(play) {
	const first = play.candidates.slice(0, MOST_TANKS);
	if (play.chosen && !first.includes(play.chosen)) first[MOST_TANKS - 1] = play.chosen;
	return first;
}

/** @param {View} view @param {Theatre} play */
function floor(view, play) {
	const model = filtered(view.state);
	const tally = new Map();
	for (const { verdict } of model?.at.values() ?? []) {
		const text = verdict ? plainReason(verdict.reasons[0] ?? "") : "";
		if (text) tally.set(text, (tally.get(text) ?? 0) + 1);
	}
	const more = play.all - MOST_TANKS;
	return h(
		"div",
		{ key: "floor", class: "floor" },
		h("b", null, "✕ ", t("preempt.fit", { n: 0, total: model?.evaluated ?? view.state.nodes.size })),
		h("span", null, play.candidates.length ? t("preempt.who", { n: play.all }) : t("preempt.noone")),
		more > 0 && h("span", { key: "more" }, t("preempt.more", { n: more })),
		h(
			"span",
			{ class: "floor-chips" },
			[...tally]
				.sort((a, b) => b[1] - a[1])
				.slice(0, 4)
				.map(([text, n]) => h("span", { key: text }, `${n} × ${text}`)),
		),
	);
}

/** @param {View} view @param {Theatre} play */
function nobody(view, play) {
	const { event } = play;
	return h(
		"div",
		{ key: "nobody", class: "nobody" },
		event.eligible ? groups(view, event) : h("p", null, t("preempt.ineligible", { pod: podName(view.hero) })),
		event.message && h("p", { class: "raw" }, event.message),
	);
}

/** Nodes where evicting would not help, by what is in the way. @param {View} view @param {PreemptionEvaluated} event */
function groups({ state }, { failed = {}, more_failed = 0, unhelpful = 0 }) {
	/** @type {Map<string, string[]>} */
	const found = new Map();
	const take = (/** @type {string} */ kind, /** @type {string} */ reason, /** @type {string} */ name) => {
		const key = `${kind}|${reason}`;
		found.set(key, [...(found.get(key) ?? []), name]);
	};
	for (const [name, { reasons }] of Object.entries(failed))
		take(
			noVictims(reasons[0] ?? "") ? "novictims" : "failed",
			noVictims(reasons[0] ?? "") ? "" : plainReason(reasons[0] ?? ""),
			name,
		);
	for (const [name, { verdict }] of filtered(state)?.at ?? [])
		if (verdict?.code === "UnschedulableAndUnresolvable" && !failed[name])
			take("unhelpful", plainReason(verdict.reasons[0] ?? ""), name);
	if (!found.size && unhelpful) take("unhelpful", state.cycle.PreFilterFinished?.reasons?.[0] ?? "", "");
	const told = [...found].slice(0, MOST_GROUPS).map(([key, names]) => {
		const [kind, reason] = key.split("|");
		return h(
			"p",
			{ key },
			h("b", null, t(`preempt.group.${kind}`, { n: names[0] ? names.length : unhelpful, reason })),
			names[0] &&
				h(
					"small",
					null,
					names
						.slice(0, MOST_NAMES)
						.map((name, i) => [i ? t("list.comma") : "", h("span", { key: name, class: "glued" }, name)]),
					names.length > MOST_NAMES && `${t("list.comma")}${t("list.more", { n: names.length - MOST_NAMES })}`,
				),
		);
	});
	return [told, more_failed > 0 && h("p", { key: "more" }, t("list.more", { n: more_failed }))];
}

/** The resource along which the tanks are drawn. @param {View} view @param {Candidate[]} shown */
function tankResource({ state, hero }, shown) {
	const resource = shown[0] ? scarcest(state, shown[0].node, hero) : "cpu";
	return resource === "pods" ? "cpu" : resource;
}

/** @param {View} view @param {Theatre} play @param {Candidate[]} shown @param {number} frame */
function tanks(view, play, shown, frame) {
	const resource = tankResource(view, shown);
	const whole = Math.max(
		...shown.map((one) => allocatable(/** @type {any} */ (view.state.nodes.get(one.node)), resource)),
	);
	const { act, at } = actOf(play, frame);
	const over = !play.rungs ? act === "result" : act === "rung" && at >= play.rungs;
	return h(
		"div",
		{ key: "tanks", class: "tanks" },
		h(
			"div",
			{ key: "axis", class: "tank-axis" },
			h("h3", null, t("tank.per", { room: quantity(resource, whole) })),
			h("p", null, t("tank.with", { pod: podName(view.hero) })),
			h("p", { class: "key hero-key" }, h("i"), podName(view.hero)),
			h("p", { class: "key stays" }, h("i"), t("tank.untouchable")),
			h("p", { class: "key back" }, h("i"), t("tank.back")),
			h("p", { class: "key victim" }, h("i"), t("tank.victim")),
			cannot(view, play),
		),
		shown.map((candidate) =>
			tank(view, candidate, fates(play, candidate, frame), {
				resource,
				whole,
				act,
				need: request(view.state, view.hero, resource),
				chosen: over && !candidate.rung,
				fallen: act === "rung" && Boolean(candidate.rung) && /** @type {number} */ (candidate.rung) <= at,
				amount,
			}),
		),
	);
}

/** Nodes that evicting cannot help, and why. @param {View} view @param {Theatre} play */
function cannot(view, play) {
	const candidates = new Set(play.candidates.map((one) => one.node));
	const rest = [...(filtered(view.state)?.at ?? [])].filter(([name]) => !candidates.has(name));
	if (!rest.length) return null;
	return h(
		"div",
		{ key: "cannot", class: "cannot" },
		h("h3", null, t("tank.cannot", { n: rest.length })),
		rest
			.slice(0, 4)
			.map(([name, { verdict }]) =>
				h(
					"p",
					{ key: name },
					h("b", null, name),
					" ",
					plainReason((play.event.failed?.[name] ?? verdict)?.reasons[0] ?? ""),
				),
			),
		rest.length > 4 && h("p", { key: "more" }, t("list.more", { n: rest.length - 4 })),
	);
}

/** @param {View} view @param {Theatre} play @param {Candidate[]} shown @param {number} frame */
function ladder(view, play, shown, frame) {
	const { act, at } = actOf(play, frame);
	const now = act === "rung" ? at : 0;
	if (!play.rungs) return h("p", { key: "single", class: "rung-not" }, t("rung.single"));
	return h(
		"div",
		{ key: "ladder", class: "ladder" },
		[1, 2, 3, 4, 5, 6].map((rung) => {
			const needed = play.rungs >= rung;
			return h(
				"div",
				{ key: rung, class: `rung ${rung === now ? "now" : ""} ${needed || now < play.rungs ? "" : "unneeded"}` },
				h("div", { class: "rung-name" }, h("b", null, String(rung)), t(`rung.${rung}`)),
				needed || now < play.rungs
					? shown.map((one) => cell(view, play, one, rung, now))
					: h("div", { key: "not", class: "rung-not" }, t("rung.notneeded")),
			);
		}),
	);
}

/** @param {View} view @param {Theatre} play @param {Candidate} one @param {number} rung @param {number} now */
function cell(view, play, one, rung, now) {
	const alive = !one.rung || one.rung >= rung;
	const shown = alive && rung <= now;
	const falls = one.rung === rung && shown;
	const wins = !one.rung && rung === play.rungs && shown;
	const kind = !alive ? "gone" : falls ? "falls" : wins ? "wins" : "";
	return h(
		"div",
		{ key: `${one.node}:${rung}`, class: `rung-cell ${kind} ${shown ? "" : "blank"}` },
		shown && h("b", { key: `v${rung}` }, falls ? "✕ " : wins ? "★ " : "", rungText(view, one, rung)),
	);
}

/**
 * On a phone the columns become lanes.
 * @param {View} view
 * @param {Theatre} play
 * @param {Candidate[]} shown
 * @param {number} frame
 */
function phoneLanes(view, play, shown, frame) {
	const { act, at } = actOf(play, frame);
	const now = act === "rung" ? at : act === "result" ? 1 : 0;
	const rungs = now ? play.rungs : 0;
	const columns =
		Array.from({ length: rungs }, (_, i) => (i === DATES ? "minmax(74px, 1fr)" : "minmax(0, 1fr)")).join(" ") ||
		"minmax(0, 1fr)";
	const resource = tankResource(view, shown);
	return h(
		"div",
		{ key: "phone", class: "phone-lanes", style: { "--rungs": columns } },
		rungs > 0 &&
			h(
				"div",
				{ key: "head", class: "phone-head" },
				h("b", null, t("preempt.node")),
				Array.from({ length: rungs }, (_, i) => h("span", { key: i }, `${i + 1} ${t(`rung.short.${i + 1}`)}`)),
			),
		shown.map((one) => {
			const fate = fates(play, one, frame);
			const victims = [...fate].filter(([, state]) => state === "victim").map(([key]) => podName(key));
			const wins = now > 0 && !one.rung && now >= rungs;
			return h(
				"div",
				{ key: one.node, class: `phone-lane ${wins ? "wins" : ""}` },
				h(
					"div",
					null,
					h("b", null, wins ? "★ " : "", one.node),
					h(
						"small",
						null,
						victims.length
							? `✕ ${victims[0]}${victims.length > 1 ? `, +${victims.length - 1}` : ""}`
							: t(act === "floor" ? "tank.lower" : "tank.lifted", {
									n: [...fate.values()].filter((state) => state === "lifted" || state === "on").length,
								}),
					),
				),
				rungs
					? Array.from({ length: rungs }, (_, i) => cell(view, play, one, i + 1, now))
					: lyingTank(view, one, fate, resource),
			);
		}),
	);
}

/**
 * The dry run on a phone: who stays, who is lifted, given back or falls, and what the pod needs.
 * @param {View} view
 * @param {Candidate} one
 * @param {Map<string, string>} fate
 * @param {string} resource
 */
function lyingTank({ state, hero }, one, fate, resource) {
	const node = state.nodes.get(one.node);
	const part = (/** @type {string} */ key) =>
		(request(state, key, resource) / Math.max(1, node ? allocatable(node, resource) : 1)) * 100;
	const order = { stays: 0, back: 1, on: 2, trying: 2, lifted: 3, victim: 4 };
	const of = (/** @type {string} */ key) => /** @type {keyof typeof order} */ (fate.get(key) ?? "stays");
	const pods = [...(node?.pods ?? [])].sort(
		(a, b) =>
			order[of(a)] - order[of(b)] ||
			(state.pods.get(b)?.summary.priority ?? 0) - (state.pods.get(a)?.summary.priority ?? 0),
	);
	const standing = pods.filter((key) => order[of(key)] < order.lifted);
	const taken = standing.reduce((sum, key) => sum + part(key), 0);
	return h(
		"div",
		{ key: "lying", class: "lying" },
		standing.map((key) =>
			h(
				"i",
				{
					key,
					class: of(key),
					title: podName(key),
					style: { ...rampStyle(state.pods.get(key)?.summary.priority ?? 0), width: `${part(key)}%` },
				},
				of(key) === "back" ? "↩" : "",
			),
		),
		fate.size > 0 &&
			of([...fate.keys()][0]) !== "on" &&
			h("u", { key: "need", style: { left: `${Math.min(taken, 100 - part(hero))}%`, width: `${part(hero)}%` } }),
	);
}
