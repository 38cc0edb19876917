// @ts-check
/** Captions of an autoscaler's pass: the options for new nodes, and the nodes that could be removed. */

import { h } from "../../shared/dom.js";
import { list, num, parts, t } from "../../shared/i18n.js";
import { shortPod } from "../../shared/names.js";
import { cutName } from "../../shared/units.js";
import { actorName } from "../controllers/view.js";
import { panel } from "../parts/panel.js";
import { nodes, pod } from "../parts/words.js";

/** @typedef {import("../../trace/trace").ScaleUpEvaluated} ScaleUp */
/** @typedef {import("../../trace/trace").ScaleDownEvaluated} ScaleDown */

const LETTERS = 40;
const MOST = 3; // names in a caption

/** The caption of a pass that may add nodes. @param {{event: ScaleUp}} context @returns {Partial<Caption>} */
function scaleUpCaption({ event }) {
	const { options = [], refusals = [] } = event;
	const chosen = options.filter((option) => option.chosen);
	const sum = chosen.reduce((total, option) => total + option.nodes, 0);
	const groups = list([...new Set(chosen.map((option) => cutName(option.group, LETTERS)))], MOST);
	const values = { actor: actorName(event.by), n: num(event.waiting), sum: num(sum), groups, options: options.length };
	const [first] = refusals;
	return {
		eyebrow: parts("eyebrow.autoscaling"),
		sentence: parts(chosen.length ? "autoscaling.up" : "autoscaling.none", values),
		why: chosen.length
			? parts(event.by === "karpenter" ? "autoscaling.up.cheapest" : "autoscaling.up.options", values)
			: first
				? parts("autoscaling.refused", { group: first.group || t("autoscaling.pools"), reason: first.reason })
				: [],
	};
}

/** The caption of a pass that may remove nodes. @param {{event: ScaleDown}} context @returns {Partial<Caption>} */
function scaleDownCaption({ event }) {
	const going = event.nodes.filter(({ outcome }) => outcome !== "stays");
	const kind = going[0]?.outcome ?? "stays";
	const stranded = event.nodes.find((entry) => entry.stranded);
	return {
		eyebrow: parts("eyebrow.autoscaling"),
		sentence: parts(`autoscaling.down.${kind}`, {
			actor: actorName(event.by),
			nodes: list(nodes(going.map(({ node }) => node)), MOST),
			n: num(event.nodes.length + (event.more ?? 0)),
		}),
		why: stranded?.stranded
			? parts("autoscaling.stranded", { pod: pod(stranded.stranded), node: nodes([stranded.node])[0] })
			: [],
	};
}

/** @type {Record<string, (context: any) => Partial<Caption>>} */
export const CAPTIONS = { ScaleUpEvaluated: scaleUpCaption, ScaleDownEvaluated: scaleDownCaption };

/** The sign and the words of an outcome. @param {string} outcome @returns {[string, string]} */
export function outcomeWords(outcome) {
	return [outcome === "stays" ? "✕" : "✓", t(`autoscaling.node.${outcome}`)];
}

/** An element for each expander with its name and its score. @param {Record<string, number>} [scores] by expander */
export function scoreWords(scores = {}) {
	const words = Object.entries(scores).map(([name, score]) => `${name} ${Number(score.toPrecision(4))}`);
	return words.map((score) => h("code", { key: score }, score));
}

/**
 * Names of the first pods, and how many more there are.
 * @param {string[]} pods @param {number} count @param {number} most
 */
export function podNames(pods, count, most) {
	const shown = pods.slice(0, most).map(shortPod);
	return count > shown.length ? [...shown, `+${count - shown.length}`] : shown;
}

/** The explanation of a pass, which has no arithmetic. @returns {Child} */
export function explain() {
	return panel(t("eyebrow.autoscaling"), t("autoscaling.title"));
}
