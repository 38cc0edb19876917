// @ts-check
/** Columns of the trace: integers per node (see scheduler_core/trace/columns.py); nodes and pods as loaded. */

const READERS = {
	u1: (/** @type {ArrayBuffer} */ b) => new Uint8Array(b),
	u2: (/** @type {ArrayBuffer} */ b) => new Uint16Array(b),
	i4: (/** @type {ArrayBuffer} */ b) => new Int32Array(b),
	i8: (/** @type {ArrayBuffer} */ b) => Float64Array.from(new BigInt64Array(b), Number),
};

/**
 * The `count` integers of a column.
 * @param {import("./trace").Column} column @param {number} count @returns {ArrayLike<number> & Iterable<number>}
 */
export function decodeColumn(column, count) {
	if (typeof column === "number") return new Array(count).fill(column);
	if (column.startsWith("d1:")) return rising(column);
	const kind = /** @type {keyof typeof READERS} */ (column.slice(0, 2));
	const bytes = Uint8Array.from(atob(column.slice(3)), (c) => c.charCodeAt(0));
	return READERS[kind](bytes.buffer);
}

/** "d1:first:steps": integers that rise by less than 256 from one to the next. @param {string} column */
function rising(column) {
	const [, first, steps] = column.split(":");
	const numbers = [Number(first)];
	for (const step of atob(steps)) numbers.push(numbers[numbers.length - 1] + step.charCodeAt(0));
	return numbers;
}

/** RunStarted's nodes and pods, one by one; before schemas 5 and 4 they come so. @param {TraceChunk} chunk */
export function unpackLoaded({ events: [started] }) {
	if (started?.type !== "RunStarted") return;
	if (started.loaded_nodes) started.nodes = nodesOf(started.loaded_nodes);
	if (!started.loaded) return;
	const { nodes = [] } = started;
	const { kinds, pods, kind, node, start_time } = started.loaded;
	started.pods = pods.map((pod, i) => {
		const one = { ...kinds[kind[i]], pod };
		if (node[i] >= 0) one.node = nodes[node[i]].name;
		if (start_time[i] !== null) one.start_time = start_time[i];
		return one;
	});
}

/** @param {import("./trace").NodeColumns} loaded */
function nodesOf({ kinds, keys, nodes, kind, labels }) {
	return nodes.map((name, i) => ({
		...kinds[kind[i]],
		name,
		labels: Object.fromEntries(keys[kind[i]].map((key, k) => [key, labels[i][k]])),
	}));
}
