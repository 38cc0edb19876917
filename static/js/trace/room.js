// @ts-check
/** The resources of a node: allocatable, used by pods, and held for nominated pods. */

/** The amount of a resource that pods may request on a node. @param {NodeState} node @param {string} resource */
export function allocatable(node, resource) {
	return node.summary.allocatable[resource] ?? 0;
}

/** The amount of a resource that a node's pods request. @param {NodeState} node @param {string} resource */
export function used(node, resource) {
	return resource === "pods" ? node.pods.length : (node.requested[resource] ?? 0);
}

/**
 * The largest amount of a resource that a node has or its pods request, at least 1: a bar of full length.
 * @param {State} state @param {string} resource
 */
export function largest({ nodes }, resource) {
	let most = 1;
	for (const node of nodes.values()) most = Math.max(most, allocatable(node, resource), used(node, resource));
	return most;
}

/**
 * The share of the largest node that a pod requests, at most 1: of cpu, or of memory if it requests no cpu.
 * @param {State} state @param {string} pod
 */
export function shareOf(state, pod) {
	const resource = request(state, pod, "cpu") ? "cpu" : "memory";
	return Math.min(1, request(state, pod, resource) / largest(state, resource));
}

const MOST_BEYOND = 2.5; // times the largest node: longer bars are cut

/**
 * The amount of a full bar while a pod is tried: the largest node, or the largest sum of the used amount on a node and
 * the pod's request, up to a limit.
 * @param {State} state @param {string} resource @param {string} pod
 */
export function fullBarAmount(state, resource, pod) {
	const most = largest(state, resource);
	const need = request(state, pod, resource);
	if (!need) return most;
	let sum = most;
	for (const [name, node] of state.nodes)
		sum = Math.max(sum, allocatable(node, resource) - free(state, name, resource, pod) + need);
	return Math.min(sum, MOST_BEYOND * most);
}

/** @type {WeakMap<object, Map<string, string[]>>} */
const nominations = new WeakMap();

/** @type {WeakMap<object, boolean>} */
const differing = new WeakMap();

/** Whether pods have different priorities. @param {State} state @returns {boolean} */
export function prioritiesDiffer(state) {
	let differ = differing.get(state);
	if (differ === undefined) {
		const all = [...state.pods.values()].map(({ summary }) => summary.priority ?? 0);
		differ = all.some((priority) => priority !== all[0]);
		differing.set(state, differ);
	}
	return differ;
}

/** Pods nominated to a node that have no node yet. @param {State} state @param {string} node @returns {string[]} */
export function nominatedTo(state, node) {
	let byNode = nominations.get(state);
	if (!byNode) {
		byNode = new Map();
		for (const pod of state.pods.values()) {
			if (!pod.nominated_node || pod.node) continue;
			byNode.set(pod.nominated_node, [...(byNode.get(pod.nominated_node) ?? []), pod.summary.pod]);
		}
		nominations.set(state, byNode);
	}
	return byNode.get(node) ?? [];
}

/**
 * The other pods nominated to the node whose priority is at least that of `pod`; all of them without `pod`.
 * @param {State} state @param {string} node @param {string} [pod]
 */
export function heldFor(state, node, pod) {
	const priority = (pod && state.pods.get(pod)?.summary.priority) || 0;
	return nominatedTo(state, node).filter(
		(key) => key !== pod && (!pod || (state.pods.get(key)?.summary.priority ?? 0) >= priority),
	);
}

/**
 * The amount that is free for the pod: allocatable, minus requested, minus held, possibly negative; 0 if there is no
 * such node.
 * @param {State} state @param {string} name @param {string} resource @param {string} [pod]
 */
export function free(state, name, resource, pod) {
	const node = state.nodes.get(name);
	if (!node) return 0;
	const held = heldFor(state, name, pod).reduce((sum, key) => sum + request(state, key, resource), 0);
	return allocatable(node, resource) - used(node, resource) - held;
}

/** A pod's request of a resource. @param {State} state @param {string} pod @param {string} resource */
export function request(state, pod, resource) {
	return resource === "pods" ? 1 : (state.pods.get(pod)?.summary.requests?.[resource] ?? 0);
}

/** The resource that a reason of NodeResourcesFit names. @param {string} reason */
export function resourceOf(reason) {
	return reason === "Too many pods" ? "pods" : reason.replace(/^Insufficient /, "");
}

/**
 * The requested resource of which the node would have the smallest share free with the pod; "pods" if it requests none,
 * or if there is no such node.
 * @param {State} state @param {string} node @param {string} pod
 */
export function scarcest(state, node, pod) {
	const record = state.nodes.get(node);
	const requested = Object.entries(state.pods.get(pod)?.summary.requests ?? {}).filter(([, value]) => value > 0);
	if (!record || !requested.length) return "pods";
	const share = (/** @type {string} */ name) =>
		(free(state, node, name, pod) - request(state, pod, name)) / Math.max(1, allocatable(record, name));
	return requested.map(([name]) => name).sort((a, b) => share(a) - share(b))[0];
}

/** The zone of a node's label; "" without the label. @param {NodeState} node */
function zoneOf(node) {
	return node.summary.labels?.["topology.kubernetes.io/zone"] ?? "";
}

/**
 * Nodes by zone, zones in order of first appearance, nodes in order of arrival.
 * @param {State} state @returns {[string, string[]][]}
 */
export function zones(state) {
	/** @type {Map<string, string[]>} */
	const out = new Map();
	for (const [name, node] of state.nodes) {
		const zone = zoneOf(node);
		const list = out.get(zone);
		if (list) list.push(name);
		else out.set(zone, [name]);
	}
	return [...out];
}
