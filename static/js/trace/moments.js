// @ts-check
/**
 * The state at which something of this attempt happened. What a picture or a panel tells of an event is true there:
 * a dry run is not changed by the evictions that follow from it.
 */

/** @type {{store: ChunkStore, step: number, state: State} | null} */
let last = null;

/**
 * The state after this attempt's last event of a type, or now when there was none.
 * @param {ChunkStore} store @param {number} step where we are @param {State} state there
 * @param {AnyEvent["type"]} type
 */
export function momentOf(store, step, state, type) {
	if (!state.cycle[type]) return state;
	for (const { step: at, event } of store.walk(step, -1)) {
		if (event.type === "CycleStarted" || (event.type === type && at === step)) return state;
		if (event.type !== type) continue;
		if (last?.store !== store || last.step !== at)
			last = { store, step: at, state: store.stateBefore(at + 1) ?? state };
		return last.state;
	}
	return state;
}
