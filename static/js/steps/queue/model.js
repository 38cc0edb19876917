// @ts-check
/** The order in which activeQ hands out its pods. */

/** activeQ in pop order. @param {State} state */
export function activeOrder(state) {
  return [...state.pods.values()]
    .filter((one) => one.place === "active")
    .sort((a, b) => (b.summary.priority ?? 0) - (a.summary.priority ?? 0) || a.timestamp - b.timestamp || a.sequence - b.sequence)
    .map((one) => one.summary.pod);
}
