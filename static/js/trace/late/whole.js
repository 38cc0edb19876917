// @ts-check
/** Keyframes of schema 1, in runs that were stored before: they have every node and every pod. */

import { fullPod, HANDLERS } from "../fold.js";

/** @param {StoredNode} node @returns {NodeState} */
function fullNode(node) {
	return { requested: {}, pods: [], ...node };
}

/** @param {State} empty @param {WholeKeyframe} keyframe @returns {State} */
HANDLERS.whole = (empty, { nodes, pods, ...rest }) => ({
	...empty,
	...rest,
	nodes: new Map(Object.entries(nodes).map(([name, node]) => [name, fullNode(node)])),
	pods: new Map(Object.entries(pods).map(([key, pod]) => [key, fullPod(pod)])),
});
