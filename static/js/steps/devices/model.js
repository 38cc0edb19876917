// @ts-check
/**
 * The search for devices in frames: the requests, then for each node its tries and the result. A search that is
 * the same as on an earlier node has a single frame.
 */

/** @typedef {import("../../trace/trace").DevicesSearched} Searched */
/** @typedef {import("../../trace/trace").NodeSearch} NodeSearch */
/** @typedef {import("../../trace/trace").DeviceTry} Try */
/**
 * `node`: the index of a node, -1 before the first; `tries`: the number of tries shown; `ended`: whether the result
 * is shown; `like`: the index of an earlier node with the same search, or -1.
 * @typedef {{node: number, tries: number, ended: boolean, like: number}} Place
 */

/** @type {WeakMap<Searched, Place[]>} */
const cache = new WeakMap();

/**
 * The frames of a search for devices: one before it, then each try and the result on each node.
 * @param {Searched} event @returns {Place[]}
 */
export function placesOf(event) {
	const before = cache.get(event);
	if (before) return before;
	/** @type {Map<string, number>} */
	const shapes = new Map();
	const places = [{ node: -1, tries: 0, ended: false, like: -1 }];
	event.nodes.forEach((search, node) => {
		const shape = shapeOf(search);
		const like = shapes.get(shape) ?? -1;
		const tries = search.tries ?? [];
		if (like < 0) {
			shapes.set(shape, node);
			for (let i = 1; i <= tries.length; i += 1) places.push({ node, tries: i, ended: false, like });
		}
		places.push({ node, tries: tries.length, ended: true, like });
	});
	cache.set(event, places);
	return places;
}

/**
 * A text that is equal for searches that differ only in the names of pools, or of the claims that hold devices.
 * @param {NodeSearch} search
 */
function shapeOf({ outcome, tries = [], pools = [] }) {
	const steps = tries.map(({ kind, request, devices = [], text = "" }) =>
		[kind, request, devices.map(deviceName).join(), kind === "held" ? "" : text].join("|"),
	);
	return [outcome, ...pools.map(({ problem = "", devices = [] }) => `${problem}${devices.join()}`), ...steps].join(
		"\n",
	);
}

/** The place at a frame, or the last one if there are fewer. @param {Searched} event @param {number} frame */
export function placeAt(event, frame) {
	const places = placesOf(event);
	return places[Math.max(0, Math.min(frame, places.length - 1))];
}

/** The device's name in "driver/pool/device". @param {string} id */
export function deviceName(id) {
	return id.slice(id.lastIndexOf("/") + 1);
}

/**
 * The devices chosen after a number of tries, in order, each with its request and claim.
 * @param {NodeSearch} search @param {number} tries @returns {{device: string, request: string, claim: string}[]}
 */
export function chosenAfter({ tries: all = [] }, tries) {
	/** @type {{device: string, request: string, claim: string}[]} */
	const chosen = [];
	for (const { kind, devices = [], request, claim = "" } of all.slice(0, tries)) {
		if (kind === "taken") chosen.push({ device: devices[0], request, claim });
		if (kind === "returned") {
			const at = chosen.findLastIndex((choice) => choice.device === devices[0]);
			if (at >= 0) chosen.splice(at, 1);
		}
	}
	return chosen;
}

/** The devices that the last of these tries rejects, if it does. @param {NodeSearch} search @param {number} tries */
export function rejectedDevices({ tries: all = [] }, tries) {
	const last = all[tries - 1];
	return new Set(last && !["taken", "returned"].includes(last.kind) ? (last.devices ?? []) : []);
}

/**
 * The try on screen; undefined if there is none.
 * @param {Searched} event @param {number} frame @returns {Try | undefined}
 */
function tryAt(event, frame) {
	const { node, tries, ended } = placeAt(event, frame);
	return node < 0 || ended ? undefined : event.nodes[node].tries?.[tries - 1];
}

/**
 * The try whose line is marked: the one on screen, or the last that explains the node's result; undefined before the
 * first node, or if there are no tries.
 * @param {Searched} event @param {number} frame
 */
export function decidingTry(event, frame) {
	const place = placeAt(event, frame);
	const own = tryAt(event, frame);
	if (own || place.node < 0) return own;
	const { tries = [], outcome } = event.nodes[place.node];
	const wanted =
		outcome === "found"
			? ["taken"]
			: ["selector", "constraint", "taint", "counters", "capacity", "held", "elsewhere", "empty"];
	return tries.findLast((attempt) => wanted.includes(attempt.kind)) ?? tries.at(-1);
}
