// @ts-check
/**
 * The state between two events, and `apply`, its only writer. Keyframe n plus the events of chunk n equals keyframe n +
 * 1. Records (pods, nodes) are replaced, never edited, so that a fork of the state needs only shallow copies.
 */

import { EVENTS } from "./events.js";

/** The state before the first event. @returns {State} */
export function emptyState() {
	return {
		step: 0,
		time: 0,
		attempt: 0,
		nodes: new Map(),
		order: [],
		pods: new Map(),
		storage: new Map(),
		claims: new Map(),
		slices: new Map(),
		cycle: {},
		group: null,
		pod_groups: new Map(),
		workloads: new Map(),
		finished: false,
		deleted: [],
		title: "",
		profiles: [],
		plugins: {},
		feature_gates: {},
		wakes: {},
		kubernetes_version: "",
		replay: false,
	};
}

/**
 * The state before a chunk: the run's first state, changed by the keyframe's events (scheduler_core/trace/keyframe.py).
 * Undefined while the run's first chunk is not loaded.
 * @param {TraceChunk["keyframe"]} keyframe @param {State} [began] the state after RunStarted
 * @returns {State | undefined}
 */
export function fromKeyframe(keyframe, began) {
	if ("nodes" in keyframe) return fromWholeKeyframe(keyframe);
	const { step, time, since = [], cycle = [], group = [], order } = keyframe;
	if (!step) return emptyState();
	if (!began) return undefined;
	const state = { ...fork(began), replay: true };
	for (const event of since) apply(state, event);
	restoreCycles(state, cycle, group);
	const attempt = state.cycle.CycleStarted?.attempt ?? state.group?.started.first_attempt ?? 0;
	return Object.assign(state, { step, time, attempt, order: order ?? state.order, replay: false });
}

/**
 * The state of a keyframe of schema 1, which has every node and every pod.
 * @param {WholeKeyframe} keyframe @returns {State}
 */
function fromWholeKeyframe({ nodes, pods, ...rest }) {
	return {
		...emptyState(),
		...rest,
		nodes: new Map(Object.entries(nodes).map(([name, node]) => [name, { requested: {}, pods: [], ...node }])),
		pods: new Map(Object.entries(pods).map(([key, pod]) => [key, fullPod(pod)])),
	};
}

/** A copy of the state that can be changed without changing the original. @param {State} state @returns {State} */
export function fork(state) {
	return {
		...state,
		nodes: new Map(state.nodes),
		pods: new Map(state.pods),
		storage: new Map(state.storage),
		cycle: { ...state.cycle },
	};
}

/** Moves the state past one event. @param {State} state @param {AnyEvent} event @returns {State} the same object */
export function apply(state, event) {
	record(state, event);
	CHANGES[event.type]?.(state, event);
	state.step += 1;
	return state;
}

/**
 * Keeps an event in the record of the cycle that its type declares it to be part of (scheduler_core/trace/event.py).
 * @param {State} state @param {any} event
 */
function record(state, event) {
	const { part_of, repeats } = EVENTS[/** @type {AnyEvent["type"]} */ (event.type)] ?? {};
	const { cycle } = state;
	if (part_of === "group cycle") return recordInGroup(state, event);
	if (!part_of || part_of === "run" || !belongsToCycle(cycle, event, part_of)) return;
	cycle[event.type] = repeats ? [...(cycle[event.type] ?? []), event] : event;
}

/**
 * Whether an event is part of the scheduling cycle that is being recorded.
 * @param {Record<string, any>} cycle its events by type @param {any} event @param {string} part_of as its type declares
 */
function belongsToCycle({ CycleStarted: started, AttemptFinished: finished }, event, part_of) {
	if (!started) return false;
	if (part_of === "cycle of its pod") return !started.pod_group || started.pod === event.pod;
	return part_of !== "cycle of the preemptor" || (!finished && started.pod === event.preemptor);
}

/** Stores an event of a pod group's cycle. @param {State} state @param {any} event */
function recordInGroup(state, event) {
	const name = OF_GROUP[event.type];
	if (event.type === "PodGroupCycleStarted") state.group = { started: event, runs: [] };
	else if (state.group && event.type === "PodGroupEvaluated")
		state.group = { ...state.group, runs: [...state.group.runs, event] };
	else if (state.group && name) state.group = { ...state.group, [name]: event };
}

/** @typedef {Record<string, number>} Resources */

/** The name under which the record of a pod group cycle keeps an event. */
const OF_GROUP = /** @type {Record<string, keyof GroupCycle>} */ ({
	PlacementStarted: "placement",
	PlacementsScored: "scored",
	PodGroupPreemptionEvaluated: "preemption",
	PodGroupDecided: "decided",
	PodGroupConditionWritten: "condition",
	PodGroupCycleFinished: "finished",
});

/**
 * Replaces some fields of a pod's record; does nothing if there is none.
 * @param {State} state
 * @param {string} key
 * @param {Partial<PodState>} change
 */
function setPod(state, key, change) {
	const pod = state.pods.get(key);
	if (pod) state.pods.set(key, { ...pod, ...change });
}

/** A pod's record with the fields that the encoding omits. @param {StoredPod} pod @returns {PodState} */
function fullPod(pod) {
	return {
		node: "",
		nominated_node: "",
		timestamp: 0,
		sequence: 0,
		attempts: 0,
		backoff_until: null,
		error_backoff: false,
		unschedulable_plugins: [],
		message: "",
		gone_at: null,
		grace: null,
		ready: null,
		restarts: 0,
		phase: "",
		start_time: null,
		deadline: null,
		moved_by: "",
		hints: [],
		...pod,
	};
}

/** The record of a pod that is added: "bound" if it has a node, otherwise "new". @param {PodSummary} summary */
function newPod(summary) {
	const { node = "", nominated_node = "", start_time = null } = summary;
	return fullPod({ summary, place: node ? "bound" : "new", node, nominated_node, start_time });
}

/**
 * Stores a PersistentVolume, PersistentVolumeClaim or the like; does nothing without one.
 * @param {State} state @param {import("./trace").Storage | null} [storage]
 */
function setStorage(state, storage) {
	if (storage) state.storage.set(storageKey(storage), storage);
}

/**
 * Stores a ResourceClaim or ResourceSlice. Its map is copied here and not in `fork`, since most runs have none.
 * @param {State} state @param {import("./trace").ClaimState | null} [claim] @param {SliceState | null} [slice]
 */
function setDevices(state, claim, slice) {
	if (claim) state.claims = new Map(state.claims).set(claim.claim, claim);
	if (slice) state.slices = new Map(state.slices).set(slice.name, slice);
}

/** @typedef {import("./trace").SliceState} SliceState */

/** Deletes the ResourceClaim or ResourceSlice that an event names, if any. @param {State} state @param {any} event */
function deleteDevices(state, { kind, namespace, name }) {
	if (kind === "ResourceClaim") {
		state.claims = new Map(state.claims);
		state.claims.delete(`${namespace}/${name}`);
	}
	if (kind === "ResourceSlice") {
		state.slices = new Map(state.slices);
		state.slices.delete(name);
	}
}

/**
 * The key of a storage object, "PersistentVolumeClaim default/data"; with its kind, since others may have its name.
 * @param {{kind: string, name: string, namespace?: string}} object
 */
export function storageKey({ kind, namespace, name }) {
	return `${kind} ${namespace ? `${namespace}/` : ""}${name}`;
}

/**
 * The sum or the difference of resources, without those that are zero.
 * @param {Resources} before @param {Resources} change @param {1 | -1} sign -1: the change is subtracted
 */
function addResources(before, change, sign) {
	const out = { ...before };
	for (const name in change) {
		out[name] = (out[name] ?? 0) + sign * change[name];
		if (!out[name]) delete out[name];
	}
	return out;
}

/** Adds a pod to a node, with its requests. @param {State} state @param {string} key @param {string} node */
function addToNode(state, key, node) {
	const record = state.nodes.get(node);
	const pod = state.pods.get(key);
	if (!record || !pod || record.pods.includes(key)) return;
	const requested = addResources(record.requested, pod.summary.requests ?? {}, 1);
	state.nodes.set(node, { ...record, requested, pods: [...record.pods, key] });
}

/** Removes a pod from its node, with its requests. @param {State} state @param {string} key */
function removeFromNode(state, key) {
	const pod = state.pods.get(key);
	const record = pod && state.nodes.get(pod.node);
	if (!pod || !record?.pods.includes(key)) return;
	const requested = addResources(record.requested, pod.summary.requests ?? {}, -1);
	state.nodes.set(pod.node, { ...record, requested, pods: record.pods.filter((other) => other !== key) });
}

/** Clears the record of a member's cycle, which the group's own events are not part of. @param {State} state */
function clearCycle(state) {
	state.cycle = {};
	state.attempt = state.group?.started.first_attempt ?? 0;
}

/**
 * A CycleStarted event for a PodGroupMemberDecided event, so that it is recorded like an attempt.
 * @param {any} event
 */
function cycleStartOf({ attempt, pod, profile, pod_attempts, pod_group }) {
	return { type: "CycleStarted", attempt, pod, profile, pod_attempts, pod_group };
}

/**
 * Sets a pod's place back to "scheduling" while its group is only being tried: it is not assumed and does not wait on
 * Permit.
 * @param {State} state @param {string} key
 */
function keepScheduling(state, key) {
	const pod = state.pods.get(key);
	if (!pod?.node || !state.group || state.group.decided || !state.group.started.pods.includes(key)) return;
	state.pods.set(key, { ...pod, place: "scheduling", deadline: null });
}

/**
 * Stores the summary of a pod group, and keeps its condition; does nothing without one.
 * @param {State} state @param {import("./trace").PodGroupSummary | null} [summary]
 */
function setPodGroup(state, summary) {
	if (!summary) return;
	const { condition = null } = state.pod_groups.get(summary.pod_group) ?? {};
	state.pod_groups = new Map(state.pod_groups).set(summary.pod_group, { summary, condition });
}

/** "Deployment default/web", the key of a workload. @param {{kind: string, name: string, namespace?: string}} event */
export function workloadKey({ kind, name, namespace }) {
	return `${kind} ${namespace ? `${namespace}/` : ""}${name}`;
}

/**
 * Replaces some fields of a workload's record, or adds one. The map is copied here and not in `fork`, since most runs
 * have none.
 * @param {State} state @param {any} event @param {Partial<WorkloadRecord>} change
 */
function setWorkload(state, event, change) {
	const key = workloadKey(event);
	const before = state.workloads.get(key) ?? {
		state: { called: event.name },
		status: {},
		conditions: [],
	};
	state.workloads = new Map(state.workloads).set(key, { ...before, ...change });
}

/**
 * Restores the records of the cycles in progress from a keyframe.
 * @param {State} state
 * @param {AnyEvent[]} cycle CycleStarted and the events after it
 * @param {AnyEvent[]} group the events of the pod group cycle
 */
function restoreCycles(state, [started, ...events], group) {
	state.cycle = started ? { CycleStarted: started } : {};
	for (const event of events) record(state, event);
	state.group = null;
	for (const event of group) record(state, event);
	for (const key of state.pods.keys()) keepScheduling(state, key);
	if (started?.type === "PodGroupMemberDecided") state.cycle.CycleStarted = cycleStartOf(started);
}

/**
 * The changes that an event makes to pods, nodes, objects and groups, by type.
 * @type {Partial<Record<AnyEvent["type"], (state: State, event: any) => void>>}
 */
const CHANGES = {
	RunStarted(state, event) {
		state.title = event.title;
		state.profiles = event.profiles;
		state.plugins = event.plugins ?? {};
		state.feature_gates = event.feature_gates ?? {};
		state.wakes = event.wakes ?? {};
		state.kubernetes_version = event.kubernetes_version ?? "1.34";
		for (const summary of event.nodes) state.nodes.set(summary.name, { summary, requested: {}, pods: [] });
		state.order = event.order.map((/** @type {number} */ row) => event.nodes[row].name);
		for (const summary of event.pods) {
			state.pods.set(summary.pod, newPod(summary));
			addToNode(state, summary.pod, summary.node);
		}
		for (const storage of event.storage ?? []) setStorage(state, storage);
		for (const summary of event.pod_groups ?? []) setPodGroup(state, summary);
		if (event.claims?.length)
			state.claims = new Map(event.claims.map((/** @type {any} */ claim) => [claim.claim, claim]));
		if (event.slices?.length)
			state.slices = new Map(event.slices.map((/** @type {any} */ slice) => [slice.name, slice]));
	},
	ClockAdvanced(state, event) {
		state.time = event.time;
	},
	ObjectApplied(state, event) {
		if (event.order) state.order = event.order;
		setStorage(state, event.storage);
		setPodGroup(state, event.pod_group);
		setDevices(state, event.claim, event.slice);
		if (event.workload) setWorkload(state, event, { state: event.workload });
		if (event.node) {
			const before = state.nodes.get(event.name);
			state.nodes.set(event.name, { requested: {}, pods: [], ...before, summary: event.node });
		}
		if (!event.pod) return;
		const key = event.pod.pod;
		const before = state.pods.get(key);
		if (before) {
			removeFromNode(state, key);
			setPod(state, key, { summary: event.pod });
			return addToNode(state, key, before.node);
		}
		state.pods.set(key, newPod(event.pod));
		addToNode(state, key, event.pod.node ?? "");
	},
	ObjectDeleted(state, event) {
		if (event.order) state.order = event.order;
		if (event.kind === "Node") state.nodes.delete(event.name);
		state.storage.delete(storageKey(event));
		deleteDevices(state, event);
		if (state.workloads.has(workloadKey(event))) {
			state.workloads = new Map(state.workloads);
			state.workloads.delete(workloadKey(event));
		}
		const key = `${event.namespace}/${event.name}`;
		if (event.kind === "PodGroup") {
			state.pod_groups = new Map(state.pod_groups);
			state.pod_groups.delete(key);
		}
		if (event.kind !== "Pod") return;
		removeFromNode(state, key);
		state.pods.delete(key);
		state.deleted = [...state.deleted, key];
	},
	PodEnqueued(state, event) {
		setPod(state, event.pod, {
			place: event.queue,
			node: "",
			timestamp: event.timestamp,
			sequence: event.sequence,
			moved_by: event.event,
			hints: event.hints ?? [],
			backoff_until: event.backoff_until ?? null,
			error_backoff: event.error_backoff ?? false,
		});
	},
	PodGated(state, event) {
		setPod(state, event.pod, {
			place: "gated",
			timestamp: event.timestamp,
			sequence: event.sequence,
			moved_by: event.event ?? "UnschedulablePodAdd",
			message: event.message,
			unschedulable_plugins: [event.plugin],
		});
	},
	PodIgnored(state, event) {
		setPod(state, event.pod, { place: "outside" });
	},
	CycleStarted(state, event) {
		state.attempt = event.attempt;
		state.cycle = { CycleStarted: event };
		if (!event.pod_group) state.group = null;
		setPod(state, event.pod, { place: "scheduling", attempts: event.pod_attempts, backoff_until: null });
	},
	VictimEvicted(state, event) {
		setPod(state, event.pod, { gone_at: event.gone_at });
	},
	PodNominated(state, event) {
		setPod(state, event.pod, { nominated_node: event.node });
	},
	NominationCleared(state, event) {
		setPod(state, event.pod, { nominated_node: "" });
	},
	PodAssumed(state, event) {
		setPod(state, event.pod, { node: event.node, place: "binding" });
		addToNode(state, event.pod, event.node);
		if (!state.replay) keepScheduling(state, event.pod);
	},
	PodUnreserved(state, event) {
		removeFromNode(state, event.pod);
		setPod(state, event.pod, { place: "scheduling", node: "", deadline: null });
	},
	PermitEvaluated(state, event) {
		if (event.code === "Wait") setPod(state, event.pod, { place: "waiting", deadline: event.deadline ?? null });
		if (!state.replay) keepScheduling(state, event.pod);
	},
	PermitDecided(state, event) {
		setPod(state, event.pod, { place: "binding", deadline: null });
	},
	PodBound(state, event) {
		setPod(state, event.pod, {
			place: "bound",
			node: event.node,
			nominated_node: "",
			start_time: event.start_time ?? null,
			message: "",
			deadline: null,
			unschedulable_plugins: [],
		});
	},
	SchedulingFailed(state, event) {
		setPod(state, event.pod, { message: event.message, unschedulable_plugins: event.unschedulable_plugins });
	},
	RunFinished(state) {
		state.finished = true;
	},
	PodGroupCycleStarted(state, event) {
		clearCycle(state);
		event.pods.forEach((/** @type {string} */ key, /** @type {number} */ i) => {
			setPod(state, key, { place: "scheduling", attempts: event.pod_attempts[i], backoff_until: null });
		});
	},
	PodGroupEvaluated: clearCycle,
	PodGroupMemberDecided(state, event) {
		state.attempt = event.attempt;
		state.cycle = { CycleStarted: cycleStartOf(event) };
	},
	PodGroupConditionWritten(state, event) {
		const before = state.pod_groups.get(event.pod_group);
		if (event.kept || !before) return;
		const { status, reason, message = "" } = event;
		const condition = { status, reason, message };
		state.pod_groups = new Map(state.pod_groups).set(event.pod_group, { ...before, condition });
	},
	PodGroupCycleFinished: clearCycle,
	WorkloadStatusWritten(state, event) {
		setWorkload(state, event, { status: event.status, conditions: event.conditions ?? [] });
	},
	PodDeletionRequested(state, event) {
		const gone_at = event.gone_at ?? state.time + event.grace;
		setPod(state, event.pod, { gone_at, grace: event.grace });
	},
	PodStarted(state, event) {
		setPod(state, event.pod, { phase: "Running" });
	},
	PodReadinessChanged(state, event) {
		setPod(state, event.pod, { ready: event.ready });
	},
	PodRestarted(state, event) {
		setPod(state, event.pod, { restarts: event.restarts });
	},
	PodFinished(state, event) {
		removeFromNode(state, event.pod);
		setPod(state, event.pod, { place: "finished", phase: event.phase, ready: false });
	},
	NodeConditionChanged(state, event) {
		const record = state.nodes.get(event.name);
		if (record) state.nodes.set(event.name, { ...record, ready: event.status });
	},
};
