// @ts-check
/**
 * Where a verdict of Filter comes from: the compared values on a node, the rule, the lines of the spec that were read.
 */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { amount, podName, quantity, short } from "../../shared/units.js";
import { allocatable, free, heldFor, request, resourceOf } from "../../trace/room.js";
import { panel, row, table } from "../parts/panel.js";
import { question } from "../parts/plain_words.js";
import { facts, rule, specOf } from "../parts/reasons_panel.js";
import { filtered, nodesSeen, stoppedBy } from "./model.js";

/** Comes with the first panel about spreading. @type {typeof import("./domains.js") | null} */
let spread = null;

/** @param {View} view @param {string} node */
function perDomain(view, node) {
	if (spread) return spread.domains(view, node);
	void import("./domains.js").then((module) => {
		spread = module;
		view.act.set({});
	});
	return null;
}

/** @param {View} view @param {string} kind @param {string} first @param {string} second @returns {Child} */
export function explain(view, kind, first, second) {
	return kind === "column" ? verdict(view, stoppedAt(view, first), first) : verdict(view, first, second);
}

/** @param {View} view @param {string} plugin */
function stoppedAt(view, plugin) {
	const model = filtered(view.state);
	return model?.names.find((name) => model.at.get(name)?.verdict?.plugin === plugin) ?? "";
}

/** @param {View} view @param {string} node @param {string} plugin @returns {Child} */
function verdict(view, node, plugin) {
	const model = filtered(view.state);
	const at = model?.at.get(node);
	const rejected = at?.verdict?.plugin === plugin ? at.verdict : null;
	const told = view.explainer.filter(view.state.attempt, node, plugin);
	view.explainer.want(view.state.attempt, node ? [node] : []);
	const reached = at && at.stop >= (model?.plugins.indexOf(plugin) ?? 0);
	return panel(
		t("margin.verdict", { plugin }),
		t("margin.on", { what: question(plugin).replace(/[?？]$/, ""), node }),
		plugin === "NodeResourcesFit" && roomTable(view, node, rejected?.reasons ?? []),
		!reached && h("p", { key: "skipped", class: "notasked" }, t(at ? "margin.notasked" : "margin.unseen")),
		facts(view, told?.facts ?? [], plugin === "NodeResourcesFit" && Boolean(reached)),
		plugin === "PodTopologySpread" && told && perDomain(view, node),
		rejected && h("p", { key: "raw", class: "raw" }, `${rejected.code}: ${rejected.reasons.join(", ")}`),
		!rejected && reached && h("p", { key: "passed", class: "formula" }, h("b", { class: "yes" }, `✓ ${t("passed")}`)),
		rejected &&
			h("p", { key: "note", class: "note" }, t(rejected.code === "Unschedulable" ? "margin.solid" : "margin.hollow")),
		rule(view.state, plugin),
		specOf(view, plugin),
	);
}

/** How the free room adds up, and the comparisons. @param {View} view @param {string} name @param {string[]} reasons */
function roomTable(view, name, reasons) {
	const { state, hero } = view;
	const node = state.nodes.get(name);
	if (!node) return null;
	const resource = reasons.length ? resourceOf(reasons[0]) : "cpu";
	const left = free(state, name, resource, hero);
	const asked = Object.keys(state.pods.get(hero)?.summary.requests ?? {});
	const pods = [...node.pods].sort((a, b) => request(state, b, resource) - request(state, a, resource));
	const shown = pods.slice(0, 6).filter((key) => request(state, key, resource) > 0);
	const rest = pods.filter((key) => !shown.includes(key)).reduce((sum, key) => sum + request(state, key, resource), 0);
	return [
		table(
			[short(resource), t("margin.requests")],
			[
				row("all", [t("allocatable"), amount(resource, allocatable(node, resource))]),
				shown.map((key) => row(key, [`− ${podName(key)}`, amount(resource, request(state, key, resource))])),
				rest > 0 && row("rest", [t("margin.others"), amount(resource, rest)]),
				heldFor(state, name, hero).map((key) =>
					row(`held${key}`, [t("margin.held", { pod: podName(key) }), amount(resource, request(state, key, resource))]),
				),
				row("free", [t("margin.free"), amount(resource, Math.max(0, left))], "sum hot"),
				left < 0 && row("over", [t("margin.over"), amount(resource, -left)]),
			],
		),
		[...new Set([resource, ...asked])].map((one) => {
			const need = request(state, hero, one);
			const left = Math.max(0, free(state, name, one, hero));
			const ok = need <= left;
			return h(
				"p",
				{ key: `c${one}`, class: "formula" },
				`${amount(one, need)} ≤ ${quantity(one, left)} `,
				h("b", { class: ok ? "yes" : "no" }, ok ? `✓ ${t("true")}` : `✕ ${t("false")}`),
			);
		}),
	];
}

/** The verdict that decides in the frame on screen. @param {Asked} place @returns {string | null} */
export function asked({ event, state, frame, order, hero }) {
	const model = event.type === "NodesFiltered" ? filtered(state) : null;
	if (!model) return null;
	const plugin = model.plugins[frame];
	if (order === "node") {
		const name = model.walk[nodesSeen(event, frame) - 1];
		return `verdict:${name}:${model.at.get(name)?.verdict?.plugin ?? model.plugins[model.plugins.length - 1]}`;
	}
	const stopped = stoppedBy(model, frame);
	if (stopped.length) return `verdict:${stopped[0]}:${plugin}`;
	const first = model.names.find((name) => (model.at.get(name)?.stop ?? 0) > frame);
	return first && plugin ? `verdict:${first}:${plugin}` : `request:${hero}`;
}
