// @ts-check
/** Captions of Filter, plugin by plugin or node by node. */

import { h } from "../../shared/dom.js";
import { has, list, num, parts, t } from "../../shared/i18n.js";
import { count } from "../../shared/units.js";
import { resourceOf } from "../../trace/room.js";
import { facts, panel, row, rule, specOf, table, waitNote } from "../parts/panel.js";
import { PLUGINS } from "../parts/plugins.js";
import {
	currentPlugin,
	domainKind,
	extenderName,
	keyOf,
	node,
	nodes,
	plainReason,
	pod,
	question,
	reasonOf,
	valuesOf,
} from "../parts/words.js";
import { comparesRoom, fitSentence, holdersText, lacksRoom, roomTable } from "./fit.js";
import { filterModel, nodesSeen, PASSED, rejectsCordoned, stoppedBy } from "./model.js";

/** The caption of a frame of Filter. @param {Context} context @returns {Partial<Caption>} */
function filterCaption(context) {
	const model = filterModel(context.state);
	if (!model) return {};
	if (!model.names.length) return nothingEvaluated(context);
	return context.order === "node" ? nodeCaption(context, model) : pluginCaption(context, model);
}

/** The caption of a Filter that evaluated no node. @param {Context} context @returns {Partial<Caption>} */
function nothingEvaluated({ state, subject }) {
	return {
		eyebrow: parts("eyebrow.Filter"),
		sentence: parts(state.nodes.size ? "filter.nothing" : "filter.nonodes", { pod: pod(subject ?? "", subject) }),
	};
}

/** The caption of a plugin's verdicts. @param {Context} context @param {Filtered} model @returns {Partial<Caption>} */
function pluginCaption(context, model) {
	const { frame, subject } = context;
	const plugin = model.plugins[frame];
	const stopped = stoppedBy(model, frame);
	const left = model.left[frame];
	const first = model.nominatedFirst && model.evaluated === 1 && (model.hinted ? "hinted" : "nominated");
	const lone = context.state.nodes.size === 1 ? "only" : model.evaluated === 1 ? "looked" : "";
	const remaining = left === 1 ? "one" : left === 2 ? "two" : "many";
	const values = {
		pod: pod(subject ?? "", subject),
		plugin: extenderName(plugin),
		n: num(stopped.length, `column:${plugin}`),
		nodes: list(nodes(stopped), 4),
		node: stopped.length ? node(stopped[0]) : "",
		left: num(count(left)),
		total: num(count(model.evaluated)),
		all: parts(`all.${first || lone || remaining}`, { left: num(count(left)) }),
	};
	return {
		eyebrow: parts("eyebrow.filter", { i: frame + 1, n: model.plugins.length, plugin: values.plugin }),
		sentence: stopped.length
			? stoppedSentence(context, model, plugin, stopped, values)
			: nobodySentence(context, model, plugin, values),
		why: pluginWhy(context, model, stopped, values),
		next: nextFilter(model, frame, context.following),
	};
}

/**
 * The reason for one plugin's verdicts.
 * @param {Context} context @param {Filtered} model @param {string[]} stopped @param {Record<string, any>} values
 */
function pluginWhy(context, model, stopped, values) {
	const { frame, state } = context;
	const plugin = model.plugins[frame];
	if (!frame && model.nominatedFirst) return nominatedWhy(model, model.nominatedFirst, values);
	if (stopped.length) return stoppedWhy(context, model, frame, stopped, values);
	if (cordonedAmong(state, model, plugin).length) return parts(`filter.${currentPlugin(plugin)}.tolerated.why`);
	return parts(has(`filter.${plugin}.none.why`) ? `filter.${plugin}.none.why` : "filter.none.why", values);
}

/**
 * Explains why the nominated node, or the one hinted at by the previous pod, is tried first.
 * @param {Filtered} model @param {string} name @param {Record<string, any>} values @returns {Part[]}
 */
function nominatedWhy(model, name, values) {
	const first = model.hinted ? "hinted" : "nominated";
	return parts(`filter.${first}.${model.at.get(name)?.stop === PASSED ? "why" : "failed"}`, {
		...values,
		node: node(name),
	});
}

/**
 * Cordoned nodes that the plugin lets pass because the pod tolerates their taint.
 * @param {State} state @param {Filtered} model @param {string} plugin
 */
function cordonedAmong(state, model, plugin) {
	return rejectsCordoned(plugin) ? model.names.filter((name) => state.nodes.get(name)?.summary.unschedulable) : [];
}

/**
 * The sentence about a plugin that rejects no node.
 * @param {Context} context @param {Filtered} model @param {string} plugin @param {Record<string, any>} values
 */
function nobodySentence({ state }, model, plugin, values) {
	const cordoned = cordonedAmong(state, model, plugin);
	if (cordoned.length)
		return parts(`filter.${currentPlugin(plugin)}.tolerated`, {
			...values,
			nodes: list(nodes(cordoned), 3),
			n: cordoned.length,
		});
	if (model.every && !model.left[model.plugins.indexOf(plugin)]) return parts("filter.every.none", values);
	return parts(has(`filter.${plugin}.none`) ? `filter.${plugin}.none` : "filter.none", values);
}

/**
 * The sentence about the nodes that a plugin rejects.
 * @param {Context} context @param {Filtered} model @param {string} plugin @param {string[]} stopped
 * @param {Record<string, any>} values @returns {Part[]}
 */
function stoppedSentence(context, model, plugin, stopped, values) {
	if (model.every) return parts("filter.every", values);
	const verdicts = stopped.map((name) => model.at.get(name)?.verdict);
	if (verdicts.every(lacksRoom)) return fitSentence(context, model, stopped, values);
	if (comparesRoom(plugin)) return severalSentence(plugin, verdicts, values);
	const sentence = stopped.length === 1 ? factSentence(context, stopped[0], plugin, values) : null;
	if (sentence) return sentence;
	const label = requiredLabel(context, plugin);
	if (label && stopped.length > 1)
		return parts(`filter.${plugin}.lacking${stopped.length > FEW_NAMED ? ".many" : ""}`, {
			...values,
			label: num(label),
		});
	const reasons = model.at.get(stopped[0])?.verdict?.reasons ?? [];
	const { kind, values: named = {} } = reasonOf(reasons[0]) ?? {};
	const many = stopped.length > 1 ? "many" : "one";
	const key =
		[`filter.${plugin}.${kind}.${many}`, `filter.${plugin}.${many}`, `filter.any.${many}`].find(has) ??
		"filter.any.many";
	return parts(key, {
		...values,
		reason: plainReason(reasons[0] ?? ""),
		taint: num(named.taint ?? "", `verdict:${stopped[0]}:${plugin}`),
	});
}

const FEW_NAMED = 2; // nodes

/**
 * The one label that the pod requires of nodes, as "disktype=ssd"; "" if it requires more, or something else.
 * @param {Context} context @param {string} plugin
 */
function requiredLabel({ state, subject = "" }, plugin) {
	if (currentPlugin(plugin) !== "NodeAffinity") return "";
	const [label = "", ...others] = (state.pods.get(subject)?.summary.wishes ?? [])
		.filter(({ kind, soft }) => kind === "node" && !soft)
		.map(({ value }) => value);
	return !others.length && /^[\w./-]+=[\w.-]+$/.test(label) ? label : "";
}

/** Whether no node has the label. @param {State} state @param {string} label */
function isNowhere({ nodes }, label) {
	const [key, value] = label.split("=");
	return [...nodes.values()].every(({ summary }) => summary.labels?.[key] !== value);
}

/**
 * The reason with the engine's numbers, such as the skew or the missing label; null if they are not loaded, or no text
 * has them.
 * @param {Context} context @param {string} name @param {string} plugin @param {Record<string, any>} values
 * @returns {Part[] | null}
 */
function factSentence({ state, explainer }, name, plugin, values) {
	const failed = explainer?.filter(state.attempt, name, plugin)?.facts?.filter((fact) => !fact.holds) ?? [];
	const fact = failed.find((candidate) => candidate.values && has(`fact.${keyOf(candidate)}`));
	if (!fact) return null;
	const ref = `verdict:${name}:${plugin}`;
	const words = valuesOf(fact);
	const marks = Object.fromEntries(Object.entries(words).map(([field, value]) => [`v_${field}`, num(value, ref)]));
	return parts(`fact.${keyOf(fact)}`, { ...values, ...marks, would: num(words.would, ref) });
}

/**
 * The sentence about a plugin with several reasons: each of them, and the number of nodes with it.
 * @param {string} plugin @param {(Verdict | null | undefined)[]} verdicts @param {Record<string, any>} values
 */
function severalSentence(plugin, verdicts, values) {
	const tally = new Map();
	for (const verdict of verdicts)
		for (const reason of verdict?.reasons ?? []) tally.set(reason, (tally.get(reason) ?? 0) + 1);
	const single = verdicts.length === 1;
	const reasons = [...tally].map(([reason, k]) =>
		single ? plainReason(reason) : t("filter.several.one", { reason: plainReason(reason), k }),
	);
	return parts(single ? "filter.any.one" : "filter.several", {
		...values,
		plugin,
		reason: reasons.join(t("list.comma")),
	});
}

/**
 * Why a plugin rejects the nodes; [] if there is no text for it.
 * @param {Context} context @param {Filtered} model @param {string} plugin @param {string[]} stopped
 * @param {Record<string, any>} values @returns {Part[]}
 */
function rejectionCause(context, model, plugin, stopped, values) {
	const label = requiredLabel(context, plugin);
	if (label && isNowhere(context.state, label)) return parts(`filter.${plugin}.nobody`, { label });
	const verdict = stopped.length === 1 ? model.at.get(stopped[0])?.verdict : null;
	if (lacksRoom(verdict)) return holdersText(context, stopped[0], resourceOf(verdict?.reasons[0] ?? ""));
	const measured = plugin === "PodTopologySpread" && !verdict && factSentence(context, stopped[0], plugin, values);
	return measured || (has(`filter.${plugin}.why`) ? parts(`filter.${plugin}.why`, values) : []);
}

/**
 * The reason why a plugin rejects nodes, whether evictions would help, and the nodes that are left.
 * @param {Context} context @param {Filtered} model @param {number} frame @param {string[]} stopped
 * @param {Record<string, any>} values @returns {Part[]}
 */
function stoppedWhy(context, model, frame, stopped, values) {
	const { subject = "" } = context;
	const plugin = model.plugins[frame];
	if (model.every) return parts("filter.every.why");
	const cause = rejectionCause(context, model, plugin, stopped, values);
	const solid = stopped.filter((name) => model.at.get(name)?.verdict?.code !== "UnschedulableAndUnresolvable").length;
	const help = solid ? "filter.solid.some" : "filter.final";
	// preemption matters if no node fits; the next step tries it
	const tellsHelp = !model.feasible.length && solid < stopped.length && (!cause.length || !solid);
	const still = model.names.filter((name) => (model.at.get(name)?.stop ?? 0) > frame);
	return [
		cause,
		tellsHelp ? parts(help, { ...values, n: stopped.length, some: solid, pod: pod(subject) }) : [],
		still.length > 4 || !still.length
			? parts(still.length ? "filter.left" : "filter.noneleft", values)
			: parts("filter.leftnames", { nodes: list(nodes(still)), n: still.length }),
	]
		.filter((sentence) => sentence.length)
		.flatMap((sentence, i) => (i ? [" ", ...sentence] : sentence));
}

/**
 * The announcement of the next plugin, or of the step after Filter.
 * @param {Filtered} model @param {number} frame @param {AnyEvent} [after] the next event @returns {Part[]}
 */
function nextFilter(model, frame, after) {
	const following = model.plugins[frame + 1];
	if (following && model.left[frame])
		return has(`next.filter.${following}`)
			? parts(`next.filter.${following}`)
			: parts("next.filter", { plugin: extenderName(following) });
	if (after?.type === "DevicesSearched") return parts("next.DevicesSearched"); // shows why, after the verdict
	return nextByFeasible(model.feasible.length);
}

/**
 * The announcement of the step after Filter, which depends on the number of feasible nodes.
 * @param {number} feasible
 */
function nextByFeasible(feasible) {
	return parts(feasible > 1 ? "next.score" : feasible ? "next.single" : "next.postfilter", { n: feasible });
}

/** The caption of one node's verdict. @param {Context} context @param {Filtered} model @returns {Partial<Caption>} */
function nodeCaption({ event, frame, subject }, model) {
	const seen = nodesSeen(event, frame);
	const name = model.walk[seen - 1];
	const at = model.at.get(name);
	const fit = model.walk.slice(0, seen).filter((other) => model.at.get(other)?.stop === PASSED).length;
	const values = {
		pod: pod(subject ?? "", subject),
		node: node(name),
		n: num(model.plugins.length),
		plugin: at?.verdict?.plugin ?? "",
		reason: num(plainReason(at?.verdict?.reasons[0] ?? ""), `verdict:${name}:${at?.verdict?.plugin}`),
		fit: num(fit),
		seen: num(seen),
		find: num(model.toFind),
	};
	return {
		eyebrow: parts("eyebrow.bynode", { i: seen, n: model.walk.length }),
		sentence: parts(at?.verdict ? "bynode.rejected" : "bynode.passed", values),
		why: parts("bynode.why", values),
		next:
			seen < model.walk.length
				? parts("next.node", { node: node(model.walk[seen]) })
				: nextByFeasible(model.feasible.length),
	};
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = { NodesFiltered: filterCaption };

/**
 * The margin's panel for a verdict, or for a plugin's column.
 * @param {View} view @param {string} kind @param {string} first @param {string} second @returns {Child}
 */
export function explain(view, kind, first, second) {
	return kind === "column" ? verdictPanel(view, stoppedAt(view, first), first) : verdictPanel(view, first, second);
}

/** The first node that the plugin rejects; "" if there is none. @param {View} view @param {string} plugin */
function stoppedAt(view, plugin) {
	const model = filterModel(view.state);
	return model?.names.find((name) => model.at.get(name)?.verdict?.plugin === plugin) ?? "";
}

/**
 * The margin's panel for a plugin's verdict on a node; for the plugin alone if the node is "".
 * @param {View} view @param {string} node @param {string} plugin @returns {Child}
 */
function verdictPanel(view, node, plugin) {
	const model = filterModel(view.state);
	const at = model?.at.get(node);
	const rejected = at?.verdict?.plugin === plugin ? at.verdict : null;
	const explanation = view.explainer.filter(view.state.attempt, node, plugin);
	view.explainer.request(view.state.attempt, node ? [node] : []);
	const failed = at?.verdict?.others?.includes(plugin) ? at.verdict : rejected;
	const reached = at && (failed || at.verdict?.others || at.stop >= (model?.plugins.indexOf(plugin) ?? 0));
	return panel(
		t("margin.verdict", { plugin }),
		node ? t("margin.on", { what: question(plugin).replace(/[?？]$/, ""), node }) : question(plugin),
		comparesRoom(plugin) && roomTable(view, node, rejected?.reasons ?? []),
		waitNote(view, node),
		node && !reached && h("p", { key: "skipped", class: "notasked" }, t(at ? "margin.notasked" : "margin.unseen")),
		facts(view, explanation?.facts ?? [], comparesRoom(plugin) && Boolean(reached)),
		explanation && domainTables(view, plugin, node),
		failed && h("p", { key: "raw", class: "raw" }, h("b", null, failed.code), failed.reasons.join(", ")),
		!failed && reached && h("p", { key: "passed", class: "formula" }, h("b", { class: "yes" }, `✓ ${t("passed")}`)),
		failed &&
			h("p", { key: "note", class: "note" }, t(failed.code === "Unschedulable" ? "margin.solid" : "margin.hollow")),
		rule(view.state, plugin),
		specOf(view, PLUGINS[plugin]?.looks_at ?? []),
	);
}

/**
 * The reference to the verdict that decides in the frame on screen, or to the pod's request if none does; null outside
 * Filter.
 * @param {Asked} place @returns {string | null}
 */
export function asked({ event, state, frame, order, subject }) {
	const model = event.type === "NodesFiltered" ? filterModel(state) : null;
	if (!model) return null;
	const plugin = model.plugins[frame];
	if (order === "node") {
		const name = model.walk[nodesSeen(event, frame) - 1];
		if (!name) return `request:${subject}`;
		return `verdict:${name}:${model.at.get(name)?.verdict?.plugin ?? model.plugins[model.plugins.length - 1]}`;
	}
	const stopped = stoppedBy(model, frame);
	if (stopped.length) return `verdict:${stopped[0]}:${plugin}`;
	const first = model.names.find((name) => (model.at.get(name)?.stop ?? 0) > frame);
	return first && plugin ? `verdict:${first}:${plugin}` : `request:${subject}`;
}

const MOST = 40; // nodes whose explanation is requested

/**
 * Tables of the pods in each topology domain; null for plugins other than PodTopologySpread.
 * @param {View} view @param {string} plugin @param {string} node whose domain is highlighted @returns {Child}
 */
function domainTables({ state, explainer }, plugin, node) {
	if (plugin !== "PodTopologySpread") return null;
	const names = [...state.nodes.keys()].slice(0, MOST);
	explainer.request(state.attempt, names);
	/** @type {Map<string, Map<string, Record<string, number | string>>>} by topology key, by domain */
	const domainCounts = new Map();
	for (const name of names)
		for (const { key, values } of explainer.filter(state.attempt, name, plugin)?.facts ?? []) {
			if (key !== `${plugin}.skew` || !values) continue;
			const topologyKey = String(values.topologyKey);
			const counts = domainCounts.get(topologyKey) ?? new Map();
			domainCounts.set(topologyKey, counts.set(String(values.domain), values));
		}
	const own = explainer.filter(state.attempt, node, plugin)?.facts ?? [];
	const here = new Set(own.map(({ values }) => String(values?.domain)));
	return [...domainCounts].map(([topologyKey, counts]) => [
		h(
			"h3",
			{ key: `h${topologyKey}` },
			t("domains.title", { key: domainKind(topologyKey.slice(topologyKey.lastIndexOf("/") + 1)) }),
		),
		table(
			["domain", "pods", "with", "skew"].map((name) => t(`domains.${name}`)),
			[...counts].sort().map(([domain, values]) => {
				const [matching, self, skew, most] = [values.matching, values.self, values.skew, values.maxSkew].map(Number);
				const ok = skew <= most;
				const cells = [
					domain,
					String(matching),
					String(matching + self),
					h("b", { class: ok ? "" : "no" }, `${skew} ${ok ? "≤" : ">"} ${most}`),
				];
				return row(domain, cells, here.has(domain) ? "hot" : "");
			}),
			`t${topologyKey}`,
		),
		h(
			"p",
			{ key: `n${topologyKey}`, class: "note" },
			t("domains.note", { least: String([...counts.values()][0].least) }),
		),
	]);
}
