// @ts-check
/** Why pods came to a node: every attempt up to here that chose it, with what decided. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { podName } from "../../shared/units.js";
import { row, table } from "../../steps/parts/panel.js";
import { scoreName } from "../../steps/parts/plain_words.js";
import { scores } from "../../steps/score/model.js";
import { link, part } from "./parts.js";

const MOST = 12;

/** @typedef {{step: number, pod: string, why: string, lead: number | null}} Choice */

/** @param {View} view @param {string} name */
export function placedHere(view, name) {
	const { here, all } = choices(view, name);
	if (!here.length) return null;
	/** @type {Map<string, number>} */
	const tally = new Map();
	for (const { why } of here) tally.set(why, (tally.get(why) ?? 0) + 1);
	const reasons = [...tally].sort((a, b) => b[1] - a[1]).map(([why, n]) => t("placed.times", { why, n }));
	return part(
		t("placed.title"),
		h("p", { class: "note" }, t("placed.share", { n: here.length, all }), " ", reasons.join(t("list.comma"))),
		table(
			[t("pod"), t("placed.why"), "±"],
			here
				.slice(-MOST)
				.map(({ step, pod, why, lead }) =>
					row(String(step), [link(podName(pod), () => view.act.seek(step)), why, lead === null ? "" : `+${lead}`]),
				),
		),
		h("p", { class: "note" }, t("placed.note")),
	);
}

/** @param {View} view @param {string} name @returns {{here: Choice[], all: number}} */
function choices({ store, state, step: now }, name) {
	/** @type {Choice[]} */
	const here = [];
	let all = 0;
	let pod = "";
	/** @type {any} */
	let scored = null;
	for (const { step, event } of store.walk(0, 1)) {
		if (step > now) break;
		if (event.type === "CycleStarted") [pod, scored] = [event.pod, null];
		if (event.type === "ScoresComputed") scored = event;
		if (event.type !== "HostSelected") continue;
		all += 1;
		if (event.node === name)
			here.push({ step, pod, ...decided(event, scored && scores({ ...state, cycle: { ScoresComputed: scored } })) });
	}
	return { here, all };
}

/** What set the node apart from the next best. @param {any} event @param {Scores | null} model */
function decided({ node, feasible, tied = 1 }, model) {
	if (!model || feasible < 2) return { why: t("placed.only"), lead: null };
	const own = model.names.indexOf(node);
	const rival = model.names
		.map((_, i) => i)
		.filter((i) => i !== own)
		.sort((a, b) => model.totals[b] - model.totals[a])[0];
	if (own < 0 || rival === undefined) return { why: t("placed.only"), lead: null };
	const lead = model.totals[own] - model.totals[rival];
	if (tied > 1 || lead === 0) return { why: t("placed.tie"), lead: 0 };
	const gaps = model.plugins.map((one) => one.weighted[own] - one.weighted[rival]);
	return { why: scoreName(model.plugins[gaps.indexOf(Math.max(...gaps))].plugin), lead };
}
