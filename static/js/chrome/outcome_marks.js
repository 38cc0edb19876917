// @ts-check
/** The sign of each outcome of a scheduling attempt, beside its colour. */

export const MARKS = { Scheduled: "✓", Nominated: "↓", Unschedulable: "✕", Error: "!" };
