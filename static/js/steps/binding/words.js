// @ts-check
/** Captions of the binding cycle, of its rollback, and of a failed attempt. */

import { h } from "../../shared/dom.js";
import { has, list, num, parts, t } from "../../shared/i18n.js";
import { amount, decimal, nameInKey, quantity, seconds } from "../../shared/units.js";
import { allocatable, used } from "../../trace/room.js";
import { filterModel } from "../filter/model.js";
import { panel, row, table, waitNote } from "../parts/panel.js";
import { PLUGINS } from "../parts/plugins.js";
import { bareMessage, node, plainReason, pod, question } from "../parts/words.js";

/**
 * Values for captions: how much of a node's cpu is used, or of its memory if the pod requests only that.
 * @param {Context} context @param {string} name
 */
function fullness({ state, event }, name) {
	const record = state.nodes.get(name);
	const requests = state.pods.get(event.pod)?.summary.requests ?? {};
	const resource = requests.cpu || !requests.memory ? "cpu" : "memory";
	const capacity = record ? allocatable(record, resource) : 0;
	const taken = record ? used(record, resource) : 0;
	return {
		percent: num(`${capacity ? Math.round((100 * taken) / capacity) : 0} %`, `room:${name}:${resource}`),
		used: num(amount(resource, taken), `room:${name}:${resource}`),
		capacity: quantity(resource, capacity),
		mine: num(quantity(resource, requests[resource] ?? 0), `request:${event.pod}`),
	};
}

/** The names of the plugins that did not skip the pod. @param {any[]} results */
function activePlugins(results) {
	return results.filter((result) => (result.code ?? "Success") !== "Skip").map((result) => result.plugin);
}

/** The names of the plugins whose result ends the cycle. @param {any[]} results */
function failingPlugins(results) {
	return results
		.filter((result) => !["Success", "Skip", "Wait"].includes(result.code ?? "Success"))
		.map((result) => result.plugin);
}

/**
 * The end of the key of a plugin's own text for a pod that requests nothing the plugin checks; undefined if there is no
 * such text, or another plugin ran too.
 * @param {string[]} plugins @param {string} key @param {import("../../trace/trace").Wish[]} wishes
 */
function nothingKey([plugin, ...others], key, wishes) {
	const { looks_at = [] } = PLUGINS[plugin] ?? {};
	const needed = others.length || wishes.some(({ kind }) => looks_at.includes(kind));
	return !needed && has(`${key}.${plugin}.nothing`) ? `${plugin}.nothing` : undefined;
}

/** Returns the caption function of an extension point whose texts start with `key`. @param {string} key */
function pointCaption(key) {
	return (/** @type {Context} */ { event, subject, state }) => {
		const where = event.node ?? state.pods.get(event.pod)?.node ?? "";
		const [plugins, failed] = [activePlugins(event.results ?? []), failingPlugins(event.results ?? [])];
		const { wishes = [] } = state.pods.get(event.pod)?.summary ?? {};
		const kind = failed.length ? "fails" : !plugins.length ? "idle" : (nothingKey(plugins, key, wishes) ?? "done");
		const values = { pod: pod(event.pod, subject), node: node(where), plugins: list(plugins), n: plugins.length };
		return {
			sentence: parts(`${key}.${kind}`, { ...values, failing: list(failed), f: failed.length }),
			why: parts(`${key}.why`, values),
		};
	};
}

/** The caption of Permit's result. @param {Context} context @returns {Partial<Caption>} */
function permitEvaluated(context) {
	const { event, state, subject } = context;
	if (event.code !== "Wait") return pointCaption("permit")(context);
	const plugin = event.results.find((/** @type {any} */ result) => result.code === "Wait")?.plugin ?? "";
	const values = {
		pod: pod(event.pod, subject),
		node: node(event.node),
		plugin,
		wait: num(`${decimal((event.deadline ?? state.time) - state.time)} s`),
		until: num(seconds(event.deadline ?? 0)),
	};
	return { sentence: parts("permit.wait", values), why: parts("permit.wait.why", values) };
}

/** The caption of a failed attempt. @param {Context} context @returns {Partial<Caption>} */
function schedulingFailed({ event, state, subject }) {
	const model = filterModel(state);
	const failed = state.cycle.BindingFailed?.pod === event.pod ? state.cycle.BindingFailed : null;
	const values = {
		pod: pod(event.pod, subject),
		node: node(event.nominated_node ?? failed?.node ?? ""),
		n: num(state.nodes.size, `message:${event.pod}`),
		plugins: list(event.unschedulable_plugins),
		evaluated: num(model?.evaluated ?? 0, `message:${event.pod}`),
	};
	const pluginCount = event.unschedulable_plugins.length;
	return {
		eyebrow: parts("eyebrow.failed", { outcome: t(`outcome.${event.outcome}`) }),
		sentence: parts(failedKey(state, event, failed), values),
		why:
			event.outcome === "Nominated"
				? parts("failed.Nominated.why", values)
				: pluginCount
					? parts("failed.why", { ...values, n: pluginCount })
					: [event.message],
	};
}

/** The key of the text for a failed attempt. @param {State} state @param {any} event @param {any} failed */
function failedKey(state, { pod: key, outcome }, failed) {
	if (outcome !== "Unschedulable") return `failed.${outcome}`;
	if (!state.nodes.size) return "failed.nonodes";
	if (failed) return "failed.late";
	if (state.cycle.CycleStarted?.pod === key && state.cycle.PreFilterFinished?.rejected_by) return "failed.early";
	return state.nodes.size === 1 ? "failed.single" : "failed.Unschedulable";
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
	PodAssumed: (context) => ({
		eyebrow: parts("eyebrow.assume"),
		sentence: parts("assumed", {
			pod: pod(context.event.pod, context.subject),
			node: node(context.event.node),
			...fullness(context, context.event.node),
		}),
		why: parts("assumed.why"),
	}),
	PodReserved: pointCaption("reserve"),
	PermitEvaluated: permitEvaluated,
	PermitDecided: ({ event, subject, state }) => ({
		sentence: parts(`permit.${event.decision}`, {
			pod: pod(event.pod, subject),
			plugin: event.plugin,
			node: node(state.pods.get(event.pod)?.node ?? ""),
		}),
		why: event.message ? [event.message] : parts("permit.decided.why"),
	}),
	PodPreBound: pointCaption("prebind"),
	PodBound: (context) => {
		const { event, subject, state } = context;
		const pods = state.nodes.get(event.node)?.pods ?? [];
		const n = pods.filter((key) => state.pods.get(key)?.place === "bound").length;
		const coming = pods.length - n; // assumed there, and counted: the node is not that full yet
		const values = { pod: pod(event.pod, subject), node: node(event.node), n, coming };
		return {
			sentence: coming ? parts("bound.first", values) : parts("bound", { ...values, ...fullness(context, event.node) }),
			why: parts("bound.why", values),
		};
	},
	BindingFailed: ({ event, subject }) => ({
		eyebrow: parts("eyebrow.bindingfailed", { point: event.point, plugin: event.plugin }),
		sentence: parts(event.point === "Permit" ? "binding.rejected" : "binding.failed", {
			pod: pod(event.pod, subject),
			node: node(event.node),
			point: event.point,
			plugin: event.plugin,
		}),
		why: parts("binding.failed.why", { reason: bareMessage(event.message) }),
	}),
	PodUnreserved: ({ event, subject, state }) => ({
		eyebrow: parts("eyebrow.rollback"),
		sentence: parts("unreserved", {
			pod: pod(event.pod, subject),
			node: node(event.node),
			cpu: num(quantity("cpu", state.pods.get(event.pod)?.summary.requests?.cpu ?? 0), `request:${event.pod}`),
		}),
		why: parts("unreserved.why", { plugins: list(event.plugins), n: event.plugins.length }),
	}),
	SchedulingFailed: schedulingFailed,
};

const ASKED = 40; // nodes that are judged by every plugin
const NAMES = 4;

/**
 * The margin's panel for a pod's message: the nodes with a single obstacle, and the nodes with each reason.
 * @param {View} view @param {string} _kind @param {string} key @returns {Child}
 */
export function explain(view, _kind, key) {
	const { state } = view;
	const record = state.pods.get(key);
	const model = state.cycle.CycleStarted?.pod === key ? filterModel(state) : null;
	const message = record?.message ?? "";
	return panel(
		t("message.label"),
		nameInKey(key),
		h("p", { key: "raw", class: "raw" }, message.split(" preemption:")[0]),
		model && model.names.length > 0 && singleObstacles(view, model),
		model?.names.length ? reasonTable(model) : h("p", { key: "early", class: "note" }, t("message.early")),
		message.includes("preemption:") && h("p", { key: "preemption", class: "note" }, t("message.preemption")),
	);
}

/** A table of the reasons with their nodes, and a note on the sum. @param {Filtered} model */
function reasonTable({ at, total, names, every }) {
	/** @type {Map<string, string[]>} */
	const byReason = new Map();
	for (const [name, { verdict }] of at)
		for (const reason of verdict?.reasons ?? []) byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
	const several = names.filter((name) => (at.get(name)?.verdict?.reasons.length ?? 0) > 1);
	const sum = [...byReason.values()].reduce((all, nodes) => all + nodes.length, 0);
	return [
		table(
			[t("message.reason"), t("message.nodes"), "×"],
			[
				[...byReason]
					.sort((a, b) => b[1].length - a[1].length)
					.map(([reason, nodes]) => row(reason, [plainReason(reason), firstNames(nodes), String(nodes.length)])),
				row("sum", [t("message.sum", { total }), "", String(sum)], "sum"),
			],
		),
		h(
			"p",
			{ key: "why", class: "note" },
			sum === total
				? t("message.adds")
				: several.length
					? t("message.twice", { nodes: firstNames(several), n: several.length })
					: "",
			" ",
			t(every ? "message.every" : "message.firstonly"),
		),
	];
}

/** The first names, and the number of the others. @param {string[]} names */
function firstNames(names) {
	const shown = names.slice(0, NAMES).join(t("list.comma"));
	return names.length > NAMES ? `${shown}${t("list.comma")}${t("list.more", { n: names.length - NAMES })}` : shown;
}

/**
 * The nodes with a single obstacle for the pod, by plugin; plugins that the scheduler did not reach count, too. Until
 * all explanations are loaded, a note.
 * @param {View} view @param {Filtered} model
 */
function singleObstacles(view, model) {
	const { state, explainer } = view;
	const nodes = model.names.slice(0, ASKED);
	explainer.request(state.attempt, nodes);
	const explained = nodes.filter((name) => explainer.node(state.attempt, name));
	const missing = nodes.find((name) => !explained.includes(name));
	if (missing) return waitNote(view, missing) || h("p", { key: "first", class: "note" }, t("message.asking"));
	/** @type {Map<string, string[]>} */
	const alone = new Map();
	for (const name of explained) {
		const all = (explainer.node(state.attempt, name)?.filters ?? []).filter(({ code }) => !/Success|Skip/.test(code));
		if (all.length === 1) alone.set(all[0].plugin, [...(alone.get(all[0].plugin) ?? []), name]);
	}
	const best = [...alone].sort((a, b) => b[1].length - a[1].length);
	return [
		h("h3", { key: "firsttitle" }, t("message.first")),
		...best.map(([plugin, names]) =>
			h(
				"p",
				{ key: plugin, class: "formula" },
				h("b", null, question(plugin)),
				" ",
				t("message.alone", { nodes: firstNames(names), n: names.length }),
			),
		),
		h("p", { key: "firstnote", class: "note" }, t(best.length ? "message.first.note" : "message.first.none")),
	];
}
