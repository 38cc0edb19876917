// @ts-check
/**
 * The cluster at the end of a run: the pods on each node, the held resources, the pending pods and the nodes that
 * rejected them.
 */
import { filterModel, PASSED } from "../../steps/filter/model.js";
import { free, nominatedTo } from "../../trace/room.js";
import { apply, emptyState } from "../../trace/state.js";

/** @typedef {import("../../trace/trace").PodSummary} PodSummary @typedef {import("./cluster_picture").Row} Row */
/**
 * @typedef {{attempt: number, reasons: Map<string, string[]>}} Refusal each node's reasons at a pod's last attempt
 */

export class Ending {
	constructor() {
		/** @type {State | undefined} */
		this.state = undefined;
		/** @type {Set<string>} */
		this.before = new Set(); // pods that ran at the start
		/** @type {Map<string, Refusal>} by pod */
		this.refusals = new Map();
	}

	/**
	 * Applies a chunk of the run.
	 * @param {TraceChunk} chunk
	 * @param {(event: any, step: number) => void} each called before the event
	 */
	take(chunk, each) {
		const state = (this.state ??= emptyState());
		chunk.events.forEach((event, index) => {
			each(event, chunk.first_step + index);
			apply(state, event);
			if (event.type === "RunStarted")
				this.before = new Set((event.pods ?? []).filter((pod) => pod.node).map((pod) => pod.pod));
			if (event.type === "SchedulingFailed") this.recordRefusal(event.pod);
		});
	}

	/** Records why nodes rejected a pod; forgets it if Filter did not run. @param {string} pod */
	recordRefusal(pod) {
		const state = /** @type {State} */ (this.state);
		const model = filterModel(state);
		if (!model) return void this.refusals.delete(pod);
		const stopped = [...model.at].filter(([, { stop, verdict }]) => stop !== PASSED && verdict);
		this.refusals.set(pod, {
			attempt: state.attempt,
			reasons: new Map(stopped.map(([node, { verdict }]) => [node, verdict?.reasons ?? []])),
		});
	}

	/** Pods without a node, those of high priority first. @returns {PodSummary[]} */
	waiting() {
		const pods = [...(this.state?.pods.values() ?? [])].filter((pod) => !pod.node && pod.place !== "bound");
		return pods.map((pod) => pod.summary).sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
	}

	/**
	 * The rows of the nodes, none before a state is known; where `pod` was rejected for too little cpu, with the cpu that
	 * it would use.
	 * @param {string} [pod]
	 * @returns {Row[]}
	 */
	rows(pod) {
		const { state } = this;
		if (!state) return [];
		const refusal = pod ? this.refusals.get(pod) : undefined;
		const need = (pod && state.pods.get(pod)?.summary.requests?.cpu) || 0;
		const summary = (/** @type {string} */ key) => /** @type {PodSummary} */ (state.pods.get(key)?.summary);
		return [...state.nodes.values()].map(({ summary: node, pods }) => {
			const held = nominatedTo(state, node.name);
			const reasons = refusal?.reasons.get(node.name) ?? [];
			const short =
				pod && !held.includes(pod) && reasons.includes("Insufficient cpu") && need > free(state, node.name, "cpu", pod);
			return {
				node,
				reasons,
				pods: pods.map(summary),
				held: held.map(summary),
				misfit: short ? summary(pod) : undefined,
				placed: new Set(pods.filter((key) => !this.before.has(key))),
				leaving: new Set(pods.filter((key) => state.pods.get(key)?.gone_at)),
			};
		});
	}
}
