// @ts-check
/** Captions of the run's start and end. */

import { list, num, parts } from "../../shared/i18n.js";
import { count, seconds } from "../../shared/units.js";
import { pod } from "../parts/marks.js";

/** @param {Context} context @returns {Partial<Caption>} */
function runStarted({ state, event }) {
	const zones = new Set(
		[...state.nodes.values()].map((one) => one.summary.labels?.["topology.kubernetes.io/zone"] ?? ""),
	).size;
	const running = event.pods.filter((/** @type {any} */ pod) => pod.node).length;
	const named = [...state.nodes.values()].some((one) => "topology.kubernetes.io/zone" in (one.summary.labels ?? {}));
	const key = state.nodes.size ? `run.started${running ? "" : ".empty"}${named ? "" : ".nozone"}` : "run.started.none";
	return {
		eyebrow: parts("eyebrow.start"),
		sentence: parts(key, { n: num(count(state.nodes.size)), pods: num(count(running)), zones: num(zones) }),
		why: state.nodes.size ? parts("run.started.why") : parts("run.started.nonodes"),
	};
}

/** @param {string} key @param {string[]} pods */
function named(key, pods) {
	const marks = pods.map((one) => pod(one));
	return pods.length ? parts(key, { pods: list(marks, 5), n: pods.length }) : [];
}

/** @param {Context} context @returns {Partial<Caption>} */
function runFinished({ event: { time, bound, stayed = 0, pending, deleted } }) {
	const placed = Object.keys(bound).length + stayed;
	const key = !pending.length ? "run.finished.done" : placed ? "run.finished" : "run.finished.nobody";
	return {
		eyebrow: parts("eyebrow.end"),
		sentence: parts(key, { time: num(seconds(time)), bound: num(placed), pending: num(pending.length) }),
		why: [
			...named("run.finished.pending", pending),
			...(pending.length && deleted.length ? [" "] : []),
			...named("run.finished.deleted", deleted),
		],
	};
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
	RunStarted: runStarted,
	RunFinished: runFinished,
};
