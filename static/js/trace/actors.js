// @ts-check
/** The actors other than the scheduler, and the log of changes to nodes. */

import { nameInKey } from "../shared/units.js";

const SCHEDULER = "default-scheduler";

/** The controller that writes the status of a kind. @type {Record<string, string>} */
const WRITERS = {
	CronJob: "cronjob-controller",
	DaemonSet: "daemonset-controller",
	Deployment: "deployment-controller",
	HorizontalPodAutoscaler: "horizontal-pod-autoscaler-controller",
	Job: "job-controller",
	NodeClaim: "karpenter",
	NodePool: "karpenter",
	PodDisruptionBudget: "disruption-controller",
	ReplicaSet: "replicaset-controller",
	ReplicationController: "replicationcontroller-controller",
	ResourceQuota: "resourcequota-controller",
	StatefulSet: "statefulset-controller",
};

/**
 * The name of the actor that caused an event, such as "kubelet"; "" for the scheduler, or if the event names none.
 * @param {any} event
 */
export function actorOf(event) {
	switch (event.type) {
		case "WorkloadStatusWritten":
			return WRITERS[event.kind] ?? "";
		case "EventRecorded":
			return event.source === SCHEDULER ? "" : event.source;
		case "NodeConditionChanged":
			return event.status === "True" ? "kubelet" : "node-lifecycle-controller";
		case "NodeGroupResized":
			return "cluster-autoscaler";
		case "PodStarted":
		case "PodRestarted":
			return "kubelet";
		case "RequestMade":
			return "somebody";
		default:
			return event.by && event.by !== SCHEDULER && typeof event.by === "string" && event.type !== "PodActivated"
				? event.by
				: "";
	}
}

/**
 * The pod that another actor created or deletes, or the node or node group that it changed; null for other events.
 * @param {any} event @returns {Pick<Act, "kind" | "name"> | null}
 */
export function actOf(event) {
	if (!actorOf(event)) return null;
	switch (event.type) {
		case "ObjectApplied":
			if (event.action !== "create" || !["Pod", "Node"].includes(event.kind)) return null;
			return { kind: event.kind === "Pod" ? "created" : "node", name: event.name };
		case "PodDeletionRequested":
			return { kind: "deleted", name: nameInKey(event.pod) };
		case "NodeConditionChanged":
			return { kind: "node", name: event.name };
		case "NodeGroupResized":
			return { kind: "node", name: event.group };
		default:
			return null;
	}
}

/** @typedef {{step: number, time: number, change: string, by?: number}} NodeChange */

/** The changes of nodes and node groups over a whole run, to find when a node's state began. */
export class NodeLog {
	constructor() {
		/** @type {Map<string, NodeChange[]>} by node: "True", "False" and "Unknown" are its condition Ready */
		this.nodes = new Map();
		/** @type {Map<string, NodeChange[]>} by group or pool: changes of the number of machines that are starting */
		this.groups = new Map();
	}

	/**
	 * Records what an event changes about a node or a node group.
	 * @param {any} event @param {number} step @param {number} time
	 */
	take(event, step, time) {
		const { type, name, verb, about = [], because, group = "", delta = 0, nodes = [], error = "" } = event;
		if (type === "NodeConditionChanged") note(this.nodes, name, { step, time, change: event.status });
		else if (type === "RequestMade" && !event.error && NODE_VERBS.has(verb))
			for (const node of about) note(this.nodes, bareName(node), { step, time, change: verb });
		else if (type === "NodeGroupResized" && !error && !nodes.length)
			note(this.groups, group, { step, time, change: "asked", by: delta });
		else if (type === "ObjectApplied" && event.kind === "NodeClaim" && event.action === "create")
			note(this.groups, event.node_claim?.pool ?? name, { step, time, change: "asked", by: 1 });
		else if (
			type === "ObjectApplied" &&
			event.kind === "Node" &&
			event.action === "create" &&
			because?.name === "instance-started"
		)
			note(this.groups, because.values?.group ?? "", { step, time, change: "came", by: -1 });
	}

	/**
	 * The last of these changes of a node up to a step; undefined if there is none.
	 * @param {string} name @param {number} step @param {string[]} changes
	 */
	last(name, step, ...changes) {
		return this.nodes.get(name)?.findLast((change) => change.step <= step && changes.includes(change.change));
	}

	/**
	 * The node groups with machines that are starting at a step: their number (`n`), and the time of the last request for
	 * some (`since`).
	 * @param {number} step @returns {{group: string, n: number, since: number}[]}
	 */
	upcoming(step) {
		return [...this.groups].flatMap(([group, changes]) => {
			const past = changes.filter((change) => change.step <= step);
			const n = past.reduce((sum, { by = 0 }) => Math.max(0, sum + by), 0);
			return n ? [{ group, n, since: past.findLast(({ change }) => change === "asked")?.time ?? 0 }] : [];
		});
	}
}

const NODE_VERBS = new Set(["failNode", "recoverNode", "drain", "cordon", "uncordon", "pressure"]);

/** The name without the kind: "n1" of "Node/n1". @param {string} name */
const bareName = (name) => name.slice(name.indexOf("/") + 1);

/**
 * Adds a change to the log of a name.
 * @param {Map<string, NodeChange[]>} log @param {string} name @param {NodeChange} change
 */
function note(log, name, change) {
	const changes = log.get(name) ?? [];
	if (!changes.length) log.set(name, changes);
	changes.push(change);
}
