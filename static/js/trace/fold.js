// @ts-check
/** What each event changes in the state, by type. */

/** @typedef {Record<string, number>} Resources */

/** Events that belong to the scheduling cycle under way, kept by type until the next CycleStarted. */
const LISTED = new Set(["VictimEvicted", "NominationCleared", "PodEnqueued"]);

/** @param {State} state @param {string} key @param {Partial<PodState>} change */
function setPod(state, key, change) {
	const pod = state.pods.get(key);
	if (pod) state.pods.set(key, { ...pod, ...change });
}

/** A pod's record with all that the encoding leaves out. @param {StoredPod} pod @returns {PodState} */
export function fullPod(pod) {
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
		start_time: null,
		deadline: null,
		moved_by: "",
		hints: [],
		...pod,
	};
}

/** @param {PodSummary} summary */
function newPod(summary) {
	const { node = "", nominated_node = "", start_time = null } = summary;
	return fullPod({ summary, place: node ? "bound" : "new", node, nominated_node, start_time });
}

/** @param {State} state @param {import("./trace").Storage | null} [storage] */
function store(state, storage) {
	if (storage) state.storage.set(storageKey(storage), storage);
}

/** A claim may be called as a pod is. @param {{kind: string, name: string, namespace?: string}} object */
export function storageKey({ kind, namespace, name }) {
	return `${kind} ${namespace ? `${namespace}/` : ""}${name}`;
}

/** What comes to nothing is left out. @param {Resources} sum @param {Resources} part @param {1 | -1} sign */
function plus(sum, part, sign) {
	const out = { ...sum };
	for (const name in part) {
		out[name] = (out[name] ?? 0) + sign * part[name];
		if (!out[name]) delete out[name];
	}
	return out;
}

/** @param {State} state @param {string} key @param {string} node */
function putOn(state, key, node) {
	const record = state.nodes.get(node);
	const pod = state.pods.get(key);
	if (!record || !pod || record.pods.includes(key)) return;
	const requested = plus(record.requested, pod.summary.requests ?? {}, 1);
	state.nodes.set(node, { ...record, requested, pods: [...record.pods, key] });
}

/** @param {State} state @param {string} key */
function takeOff(state, key) {
	const pod = state.pods.get(key);
	const record = pod && state.nodes.get(pod.node);
	if (!pod || !record?.pods.includes(key)) return;
	const requested = plus(record.requested, pod.summary.requests ?? {}, -1);
	state.nodes.set(pod.node, { ...record, requested, pods: record.pods.filter((other) => other !== key) });
}

/** @param {State} state @param {any} event */
function note(state, event) {
	if (!state.cycle.CycleStarted) return;
	if (LISTED.has(event.type)) state.cycle[event.type] = [...(state.cycle[event.type] ?? []), event];
	else state.cycle[event.type] = event;
}

/**
 * The record of a scheduling cycle, from CycleStarted and what followed it.
 * @param {State} state
 * @param {AnyEvent[]} events
 */
export function setCycle(state, [started, ...events]) {
	state.cycle = started ? { CycleStarted: started } : {};
	for (const event of events) note(state, event);
}

/** @type {Record<string, (state: State, event: any) => any>} */
export const HANDLERS = {
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
			putOn(state, summary.pod, summary.node);
		}
		for (const storage of event.storage ?? []) store(state, storage);
	},
	ClockAdvanced(state, event) {
		state.time = event.time;
	},
	ObjectApplied(state, event) {
		if (event.order) state.order = event.order;
		store(state, event.storage);
		if (event.node) {
			const before = state.nodes.get(event.name);
			state.nodes.set(event.name, { requested: {}, pods: [], ...before, summary: event.node });
		}
		if (!event.pod) return;
		const key = event.pod.pod;
		const before = state.pods.get(key);
		if (before) {
			takeOff(state, key);
			setPod(state, key, { summary: event.pod });
			return putOn(state, key, before.node);
		}
		state.pods.set(key, newPod(event.pod));
		putOn(state, key, event.pod.node ?? "");
	},
	ObjectDeleted(state, event) {
		if (event.order) state.order = event.order;
		if (event.kind === "Node") state.nodes.delete(event.name);
		state.storage.delete(storageKey(event));
		if (event.kind !== "Pod") return;
		const key = `${event.namespace}/${event.name}`;
		takeOff(state, key);
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
		note(state, event);
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
		setPod(state, event.pod, { place: "scheduling", attempts: event.pod_attempts, backoff_until: null });
	},
	PreFilterFinished: note,
	NodesFiltered: note,
	PreemptionEvaluated: note,
	ScoresComputed: note,
	HostSelected: note,
	VictimEvicted(state, event) {
		setPod(state, event.pod, { gone_at: event.gone_at });
		const { CycleStarted, AttemptFinished } = state.cycle;
		if (!AttemptFinished && CycleStarted?.pod === event.preemptor) note(state, event); // else beside the cycles
	},
	PreemptionStarted: note,
	PreemptionFinished() {},
	PodNominated(state, event) {
		setPod(state, event.pod, { nominated_node: event.node });
		note(state, event);
	},
	NominationCleared(state, event) {
		setPod(state, event.pod, { nominated_node: "" });
		note(state, event);
	},
	PodAssumed(state, event) {
		setPod(state, event.pod, { node: event.node, place: "binding" });
		putOn(state, event.pod, event.node);
		note(state, event);
	},
	PodReserved: note,
	PodUnreserved(state, event) {
		takeOff(state, event.pod);
		setPod(state, event.pod, { place: "scheduling", node: "", deadline: null });
		note(state, event);
	},
	PermitEvaluated(state, event) {
		if (event.code === "Wait") setPod(state, event.pod, { place: "waiting", deadline: event.deadline ?? null });
		note(state, event);
	},
	PermitDecided(state, event) {
		setPod(state, event.pod, { place: "binding", deadline: null });
		note(state, event);
	},
	PodPreBound: note,
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
		note(state, event);
	},
	BindingFailed: note,
	SchedulingFailed(state, event) {
		setPod(state, event.pod, { message: event.message, unschedulable_plugins: event.unschedulable_plugins });
		note(state, event);
	},
	AttemptFinished: note,
	RunFinished(state) {
		state.finished = true;
	},
};
