// @ts-check
/** The values of the text's rules for a pod on each node, from the server's check of the text. */
import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";

/**
 * @typedef {{point: string, values: [string, string][]}} PointValues one value for each node, or one at preEnqueue
 * @typedef {{pod: string, pods: string[], nodes: string[], rules: {rule: string, points: PointValues[]}[]}} PodValues
 */

const MARKS = /** @type {Record<string, string>} */ ({ true: "✓", false: "✕", error: "!" });
const CLASSES = /** @type {Record<string, string>} */ ({ true: "yes", false: "no", error: "no" });

/**
 * The card with the values of each rule's expressions for one pod and each node.
 * @param {PodValues} results @param {(pod: string) => void} choose
 */
export function ruleValues(results, choose) {
	const options = results.pods.map((pod) =>
		h("option", { key: pod, value: pod, selected: pod === results.pod }, name(pod)),
	);
	const change = (/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.target).value);
	return h(
		"div",
		{ key: "rules", class: "card rule-values" },
		h("h2", null, t("editor.rules")),
		h("label", null, t("editor.rules.pod"), " ", h("select", { on: { change } }, options)),
		results.rules.map(({ rule, points }) => [
			points
				.filter(atQueue)
				.map(({ point, values }) => h("p", { key: rule + point }, `${rule} ${point}: `, cell(values[0]))),
			table(
				rule,
				points.filter((point) => !atQueue(point)),
				results.nodes,
			),
		]),
	);
}

/** Whether the values are those of preEnqueue, which has no nodes. @param {PointValues} values */
const atQueue = ({ point }) => point === "preEnqueue";

/**
 * The table of a rule's values for each node; null if the rule has no values for nodes.
 * @param {string} rule @param {PointValues[]} points @param {string[]} nodes
 */
function table(rule, points, nodes) {
	if (!points.length) return null;
	const head = points.map(({ point }) => h("th", { key: point, scope: "col" }, h("code", null, point)));
	const rows = nodes.map((node, i) =>
		h(
			"tr",
			{ key: node },
			h("th", { scope: "row" }, node),
			points.map(({ point, values }) => h("td", { key: point }, cell(values[i]))),
		),
	);
	return h(
		"table",
		{ key: rule },
		h("thead", null, h("tr", null, h("th", { scope: "col" }, rule), head)),
		h("tbody", null, rows),
	);
}

/** The value of a rule as a sign, and its text. @param {[string, string]} value */
function cell([value, text]) {
	const words = MARKS[value] ? t(`editor.rules.${value}`) : value;
	return h(
		"span",
		null,
		h("b", { class: CLASSES[value] ?? "", title: words, "aria-label": words }, MARKS[value] ?? value),
		text ? h("small", null, ` ${text}`) : null,
	);
}

/** A pod's name, with its namespace unless that is "default". @param {string} key */
const name = (key) => key.replace(/^default\//, "");
