// @ts-check
/**
 * The state at which something of this attempt happened. What a picture or a panel tells of an event is true there:
 * a dry run is not changed by the evictions that follow from it.
 */

const KEPT = 4;

/** @type {WeakMap<ChunkStore, Map<number, State>>} */
const known = new WeakMap();

/**
 * The state after this attempt's last event of a type, or now when there was none.
 * @param {ChunkStore} store
 * @param {number} step where we are
 * @param {State} state there
 * @param {AnyEvent["type"]} type
 * @returns {State}
 */
export function momentOf(store, step, state, type) {
	if (!state.cycle[type]) return state;
	for (const { step: at, event } of store.walk(step, -1)) {
		if (event.type === type) return at === step ? state : (stateAt(store, at) ?? state);
		if (event.type === "CycleStarted") return state;
	}
	return state;
}

/** @param {ChunkStore} store @param {number} step */
function stateAt(store, step) {
	const kept = known.get(store) ?? new Map();
	known.set(store, kept);
	const found = kept.get(step) ?? store.stateBefore(step + 1);
	if (!found) return undefined;
	if (kept.size >= KEPT) kept.delete(kept.keys().next().value);
	kept.set(step, found);
	return found;
}
