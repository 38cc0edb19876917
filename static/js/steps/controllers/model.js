// @ts-check
/** Workloads and their pods: how many there should be, and what each of them does. */

/**
 * The activity of a pod: "ready" runs and is ready; "starting" is bound and was not ready yet; "unready" is no longer
 * ready; "waiting" is not bound; "leaving" is being deleted; "ended" has succeeded or failed.
 * @typedef {"ready" | "starting" | "unready" | "waiting" | "leaving" | "ended"} PipKind
 * @typedef {{pod: string, kind: PipKind}} Pip
 * @typedef {{
 *   key: string, kind: string, name: string, pips: Pip[], desired: number | null, ready: number, missing: number,
 *   revisions: {key: string, called: string, pips: Pip[], missing: number}[], paused: boolean
 * }} Row `revisions`: the ReplicaSets of a Deployment, new first, if several have or need pods
 */

const OF_PODS = ["Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job"];

/** The state of a workload's pod, as its pip shows it. @param {PodState} pod @returns {PipKind} */
export function pipOf(pod) {
	if (pod.place === "finished") return "ended";
	if (pod.gone_at !== null) return "leaving";
	if (pod.place !== "bound") return "waiting";
	if (pod.ready === false) return "unready";
	return pod.ready === null && pod.attempts > 0 ? "starting" : "ready";
}

/** @type {WeakMap<State, {step: number, rows: Row[]}>} a draw asks several times */
const known = new WeakMap();

/**
 * The workloads of the kinds that have pods, each once: a ReplicaSet is a part of its Deployment.
 * @param {State} state @returns {Row[]}
 */
export function workloadRows(state) {
	if (!state.workloads.size) return [];
	const kept = known.get(state);
	if (kept?.step === state.step) return kept.rows;
	const rows = allRows(state);
	known.set(state, { step: state.step, rows });
	return rows;
}

/** The rows for `workloadRows`, which keeps them. @param {State} state @returns {Row[]} */
function allRows(state) {
	const owned = podsByOwner(state);
	/** @type {Map<string, string[]>} by workload: the ReplicaSets or Jobs that belong to it */
	const parts = new Map();
	for (const [key, { state: workload }] of state.workloads)
		if (workload.owner) {
			const owner = ownerKey(workload.owner, namespaceOf(key));
			parts.set(owner, [...(parts.get(owner) ?? []), key]);
		}
	return [...state.workloads].flatMap(([key, record]) => {
		const [kind] = key.split(" ");
		const isPart = record.state.owner && state.workloads.has(ownerKey(record.state.owner, namespaceOf(key)));
		return OF_PODS.includes(kind) && !(isPart && kind === "ReplicaSet")
			? [rowOf(state, key, record, parts.get(key) ?? [], owned)]
			: [];
	});
}

/** The pods with an owner, by the owner's key. @param {State} state @returns {Map<string, PodState[]>} */
function podsByOwner(state) {
	/** @type {Map<string, PodState[]>} */
	const owned = new Map();
	for (const [key, pod] of state.pods) {
		const { owner } = pod.summary;
		if (!owner) continue;
		const workload = ownerKey(owner, key.slice(0, key.lastIndexOf("/")));
		const pods = owned.get(workload);
		if (pods) pods.push(pod);
		else owned.set(workload, [pod]);
	}
	return owned;
}

/** "ReplicaSet default/web-1" of "ReplicaSet/web-1" in a namespace. @param {string} owner @param {string} space */
const ownerKey = (owner, space) => owner.replace("/", ` ${space}/`);

/** The namespace in a workload's key. @param {string} key "Deployment default/web" */
const namespaceOf = (key) => key.slice(key.indexOf(" ") + 1, key.lastIndexOf("/"));

/**
 * The row of a workload.
 * @param {State} state
 * @param {string} key
 * @param {WorkloadRecord} record
 * @param {string[]} parts its ReplicaSets or Jobs
 * @param {Map<string, PodState[]>} owned @returns {Row}
 */
function rowOf(state, key, record, parts, owned) {
	const [kind] = key.split(" ");
	const name = key.slice(key.lastIndexOf("/") + 1);
	const pipsOfKey = (/** @type {string} */ of) => pips(owned.get(of) ?? [], kind);
	const sets = kind === "Deployment" ? parts : [];
	const revisions = sets
		.map((set) => {
			const { state: workload } = /** @type {WorkloadRecord} */ (state.workloads.get(set));
			const own = pipsOfKey(set);
			return { key: set, called: workload.called, pips: own, missing: missingOf(workload.size, own), workload };
		})
		.filter(({ missing, pips: own }) => missing > 0 || own.length > 0)
		.sort((a, b) => (b.workload.revision ?? 0) - (a.workload.revision ?? 0));
	const all = kind === "Deployment" ? revisions.flatMap((revision) => revision.pips) : pipsOfKey(key);
	const desired = desiredOf(kind, record);
	return {
		key,
		kind,
		name,
		pips: all,
		desired,
		ready: all.filter((pip) => pip.kind === "ready").length,
		missing: kind === "Job" ? 0 : missingOf(desired, all),
		revisions: revisions.length > 1 ? revisions : [],
		paused: record.state.paused ?? false,
	};
}

/**
 * The number of missing pods; pods that are being deleted or have finished do not count.
 * @param {number | null | undefined} desired @param {Pip[]} own
 */
function missingOf(desired, own) {
	return Math.max(0, (desired ?? 0) - own.filter(({ kind }) => kind !== "leaving" && kind !== "ended").length);
}

/**
 * The pips of pods, in order of creation, or of the ordinals of a StatefulSet.
 * @param {PodState[]} pods @param {string} kind @returns {Pip[]}
 */
function pips(pods, kind) {
	const own = pods.map((pod) => ({ pod: pod.summary.pod, kind: pipOf(pod) }));
	return kind === "StatefulSet" ? own.sort((a, b) => ordinal(a.pod) - ordinal(b.pod)) : own;
}

/** The ordinal of a StatefulSet's pod. @param {string} pod */
export const ordinal = (pod) => Number(pod.slice(pod.lastIndexOf("-") + 1));

/**
 * The desired number of pods.
 * @param {string} kind @param {WorkloadRecord} record @returns {number | null} null if unknown
 */
function desiredOf(kind, { state, status }) {
	if (kind === "DaemonSet") return Number(status.desiredNumberScheduled ?? 0);
	return state.size ?? null;
}

const REFUSED = /pods "([^"]+)" is forbidden: exceeded quota/;

/**
 * The pods that a quota kept a workload from creating, according to its conditions.
 * @param {State} state @param {string} key
 */
export function refusedPods(state, key) {
	const space = namespaceOf(key);
	const own = [...state.workloads].filter(
		([other, { state: workload }]) => other === key || (workload.owner && ownerKey(workload.owner, space) === key),
	);
	const messages = own.flatMap(([, { conditions }]) => conditions.map(({ message = "" }) => message));
	const names = messages.map((message) => REFUSED.exec(message)?.[1] ?? "").filter(Boolean);
	return [...new Set(names)].map((name) => `${space}/${name}`);
}

/**
 * Whether a workload has its desired pods, all ready, and a single revision; of a Job, whether all its pods are ready
 * or have ended.
 * @param {Row} row
 */
export function isAtRest({ kind, pips: own, desired, ready, revisions }) {
	if (revisions.length) return false;
	if (kind === "Job") return own.every((pip) => pip.kind === "ended" || pip.kind === "ready");
	return ready === own.length && ready === (desired ?? ready);
}

/** The pod that an actor's event is about; "" if there is none. @param {any} event @returns {string} */
export function podAbout(event) {
	const pod = event.pod?.pod ?? event.pod;
	return typeof pod === "string" ? pod : event.kind === "Pod" ? `${event.namespace}/${event.name}` : "";
}

/** The key of the row of the workload that an event is about, "" for none. @param {any} event @param {State} state */
export function workloadOf(event, state) {
	if (event.workload || event.type === "WorkloadStatusWritten" || OF_PODS.includes(event.kind))
		return rowKey(`${event.kind} ${event.namespace}/${event.name}`, state);
	if (event.type === "RequestMade") return rowKey(requestedKey(event, state), state);
	const own = podAbout(event);
	const owner = event.pod?.owner ?? state.pods.get(own)?.summary.owner;
	return owner ? rowKey(ownerKey(owner, own.slice(0, own.lastIndexOf("/"))), state) : "";
}

/**
 * The key of the first workload with the name in a request, which has no namespace; "" if there is none.
 * @param {any} event @param {State} state
 */
function requestedKey({ about }, state) {
	const [kind, name] = (about[0] ?? "").split("/");
	return [...state.workloads.keys()].find((key) => key.startsWith(`${kind} `) && key.endsWith(`/${name}`)) ?? "";
}

/** The key of the row in which a workload is drawn. @param {string} key @param {State} state */
function rowKey(key, state) {
	const owner = state.workloads.get(key)?.state.owner;
	if (!owner || !key.startsWith("ReplicaSet ")) return key;
	const above = ownerKey(owner, namespaceOf(key));
	return state.workloads.has(above) ? above : key;
}
