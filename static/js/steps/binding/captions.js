// @ts-check
/** Captions from the assumed pod to the bound one, of the rollback, and of a failed attempt. */

import { list, num, parts, t } from "../../shared/i18n.js";
import { amount, decimal, quantity, seconds } from "../../shared/units.js";
import { allocatable, used } from "../../trace/room.js";
import { filtered } from "../filter/model.js";
import { node, pod } from "../parts/marks.js";
import { bare } from "../parts/plain_words.js";

/** How full the node is now, in the resource that the pod asks for. @param {Context} context @param {string} name */
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

/** Plugins that did more than pass. @param {any[]} results */
function busy(results) {
	return results.filter((one) => (one.code ?? "Success") !== "Skip").map((one) => one.plugin);
}

/** Plugins that end the cycle. @param {any[]} results */
function failing(results) {
	return results.filter((one) => !["Success", "Skip", "Wait"].includes(one.code ?? "Success")).map((one) => one.plugin);
}

/** @param {string} key @returns {(context: Context) => Partial<Caption>} */
function point(key) {
	return ({ event, hero, state }) => {
		const where = event.node ?? state.pods.get(event.pod)?.node ?? "";
		const [plugins, failed] = [busy(event.results ?? []), failing(event.results ?? [])];
		const { wishes = [] } = state.pods.get(event.pod)?.summary ?? {};
		const volumes = plugins.join() !== "VolumeBinding" || wishes.some(({ kind }) => kind === "claim");
		const kind = failed.length ? "fails" : !plugins.length ? "idle" : volumes ? "done" : "novolumes";
		const values = { pod: pod(event.pod, hero), node: node(where), plugins: list(plugins), n: plugins.length };
		return {
			sentence: parts(`${key}.${kind}`, { ...values, failing: list(failed), f: failed.length }),
			why: parts(`${key}.why`, values),
		};
	};
}

/** @param {Context} context @returns {Partial<Caption>} */
function permitEvaluated(context) {
	const { event, state, hero } = context;
	if (event.code !== "Wait") return point("permit")(context);
	const plugin = event.results.find((/** @type {any} */ one) => one.code === "Wait")?.plugin ?? "";
	const values = {
		pod: pod(event.pod, hero),
		node: node(event.node),
		plugin,
		wait: num(`${decimal((event.deadline ?? state.time) - state.time)} s`),
		until: num(seconds(event.deadline ?? 0)),
	};
	return { sentence: parts("permit.wait", values), why: parts("permit.wait.why", values) };
}

/** @param {Context} context @returns {Partial<Caption>} */
function schedulingFailed({ event, state, hero }) {
	const model = filtered(state);
	const failed = state.cycle.BindingFailed?.pod === event.pod ? state.cycle.BindingFailed : null;
	const values = {
		pod: pod(event.pod, hero),
		node: node(event.nominated_node ?? failed?.node ?? ""),
		n: num(state.nodes.size, `message:${event.pod}`),
		plugins: list(event.unschedulable_plugins),
		evaluated: num(model?.evaluated ?? 0, `message:${event.pod}`),
	};
	const plural = event.unschedulable_plugins.length;
	return {
		eyebrow: parts("eyebrow.failed", { outcome: t(`outcome.${event.outcome}`) }),
		sentence: parts(failedKey(state, event, failed), values),
		why:
			event.outcome === "Nominated"
				? parts("failed.Nominated.why", values)
				: plural
					? parts("failed.why", { ...values, n: plural })
					: [event.message],
	};
}

/** @param {State} state @param {any} event @param {any} failed */
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
			pod: pod(context.event.pod, context.hero),
			node: node(context.event.node),
			...fullness(context, context.event.node),
		}),
		why: parts("assumed.why"),
	}),
	PodReserved: point("reserve"),
	PermitEvaluated: permitEvaluated,
	PermitDecided: ({ event, hero, state }) => ({
		sentence: parts(`permit.${event.decision}`, {
			pod: pod(event.pod, hero),
			plugin: event.plugin,
			node: node(state.pods.get(event.pod)?.node ?? ""),
		}),
		why: event.message ? [event.message] : parts("permit.decided.why"),
	}),
	PodPreBound: point("prebind"),
	PodBound: (context) => ({
		sentence: parts("bound", {
			pod: pod(context.event.pod, context.hero),
			node: node(context.event.node),
			...fullness(context, context.event.node),
		}),
		why: parts("bound.why", {
			pod: pod(context.event.pod, context.hero),
			node: node(context.event.node),
			n: context.state.nodes.get(context.event.node)?.pods.length ?? 0,
		}),
	}),
	BindingFailed: ({ event, hero }) => ({
		eyebrow: parts("eyebrow.bindingfailed", { point: event.point, plugin: event.plugin }),
		sentence: parts(event.point === "Permit" ? "binding.rejected" : "binding.failed", {
			pod: pod(event.pod, hero),
			node: node(event.node),
			point: event.point,
			plugin: event.plugin,
			reason: bare(event.message),
		}),
		why: parts("binding.failed.why"),
	}),
	PodUnreserved: ({ event, hero, state }) => ({
		eyebrow: parts("eyebrow.rollback"),
		sentence: parts("unreserved", {
			pod: pod(event.pod, hero),
			node: node(event.node),
			cpu: num(quantity("cpu", state.pods.get(event.pod)?.summary.requests?.cpu ?? 0), `request:${event.pod}`),
		}),
		why: parts("unreserved.why", { plugins: list(event.plugins), n: event.plugins.length }),
	}),
	SchedulingFailed: schedulingFailed,
};
