// @ts-check
/** The events that `kubectl describe pod` would list, read from the run when somebody asks for them. */

/** @typedef {{step: number, time: number, type: "Normal" | "Warning", reason: string, message: string}} Note */

/** @param {ChunkStore} store @param {string} pod @param {number} upto a step @returns {Note[]} */
export function notesOf(store, pod, upto) {
	/** @type {Note[]} */
	const out = [];
	let time = 0;
	for (const { step, event } of store.walk(0, 1)) {
		if (step > upto) break;
		if (event.type === "ClockAdvanced") time = event.time;
		const told = "pod" in event && event.pod === pod ? noteOf(event) : null;
		if (told) out.push({ step, time, ...told });
	}
	return out;
}

/** @param {AnyEvent} event @returns {Omit<Note, "step" | "time"> | null} */
function noteOf(event) {
	switch (event.type) {
		case "VictimEvicted":
			return {
				type: "Normal",
				reason: "Preempted",
				message: `Preempted by ${event.preemptor} on node ${event.node}`,
			};
		case "SchedulingFailed":
			return { type: "Warning", reason: "FailedScheduling", message: event.message };
		case "PodBound":
			return {
				type: "Normal",
				reason: "Scheduled",
				message: event.message || `Successfully assigned ${event.pod} to ${event.node}`,
			};
		default:
			return null;
	}
}
