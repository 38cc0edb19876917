// @ts-check
/**
 * Pod groups in the state: loaded with the first chunk that tells of one (feed.js), and put around the handlers of
 * fold.js.
 */

import { HANDLERS } from "../fold.js";

/** @typedef {(state: State, event: any) => void} Handler */

/** Of a group they come for one member after the other, when all have been tried. */
const OF_ITS_POD = ["PermitDecided", "PodPreBound", "PodBound", "BindingFailed"];

/** What is told of a group as a whole, and under which name. */
const OF_GROUP = /** @type {Record<string, keyof GroupCycle>} */ ({
	PlacementStarted: "placement",
	PlacementsScored: "scored",
	PodGroupPreemptionEvaluated: "preemption",
	PodGroupDecided: "decided",
	PodGroupConditionWritten: "condition",
	PodGroupCycleFinished: "finished",
});

/** @type {Handler} */
function note(state, event) {
	if (event.type === "PodGroupCycleStarted") {
		state.group = { started: event, runs: [] };
	} else if (state.group && event.type === "PodGroupEvaluated") {
		state.group = { ...state.group, runs: [...state.group.runs, event] };
	} else if (state.group) {
		state.group = { ...state.group, [OF_GROUP[event.type]]: event };
	}
}

/** Between two members: nobody's own cycle. @type {Handler} */
function asWhole(state, event) {
	note(state, event);
	state.cycle = {};
	state.attempt = state.group?.started.first_attempt ?? 0;
}

/** What becomes of a member is told like an attempt of its own. @param {any} event */
function asStarted({ attempt, pod, profile, pod_attempts, pod_group }) {
	return { type: "CycleStarted", attempt, pod, profile, pod_attempts, pod_group };
}

/**
 * While the group is only tried, a member with a node is not on its way there, and nobody waits on Permit.
 * @param {State} state @param {string} key
 */
function onlyTried(state, key) {
	const pod = state.pods.get(key);
	if (!pod?.node || !state.group || state.group.decided || !state.group.started.pods.includes(key)) return;
	state.pods.set(key, { ...pod, place: "scheduling", deadline: null });
}

/** @param {State} state @param {import("../trace").PodGroupSummary | null} [summary] */
function setObject(state, summary) {
	if (!summary) return;
	const { condition = null } = state.pod_groups.get(summary.pod_group) ?? {};
	state.pod_groups = new Map(state.pod_groups).set(summary.pod_group, { summary, condition });
}

/** @type {Record<string, Handler>} */
const OWN = {
	PodGroupCycleStarted(state, event) {
		asWhole(state, event);
		event.pods.forEach((/** @type {string} */ key, /** @type {number} */ i) => {
			const pod = state.pods.get(key);
			const attempts = event.pod_attempts[i];
			if (pod) state.pods.set(key, { ...pod, place: "scheduling", attempts, backoff_until: null });
		});
	},
	PlacementStarted: note,
	PodGroupEvaluated: asWhole,
	PlacementsScored: note,
	PodGroupPreemptionEvaluated: note,
	PodGroupDecided: note,
	PodGroupMemberDecided(state, event) {
		state.attempt = event.attempt;
		state.cycle = { CycleStarted: asStarted(event) };
	},
	PodGroupConditionWritten(state, event) {
		note(state, event);
		const before = state.pod_groups.get(event.pod_group);
		if (event.kept || !before) return;
		const { status, reason, message = "" } = event;
		const condition = { status, reason, message };
		state.pod_groups = new Map(state.pod_groups).set(event.pod_group, { ...before, condition });
	},
	PodGroupCycleFinished: asWhole,
	/** A keyframe's: what it has of the cycle under way. */
	Group(state, { events }) {
		state.group = null;
		for (const event of events) note(state, event);
		for (const key of state.pods.keys()) onlyTried(state, key);
		const started = state.cycle.CycleStarted;
		if (started?.type === "PodGroupMemberDecided") state.cycle.CycleStarted = asStarted(started);
	},
};

/** @type {Record<string, Handler>} */
const AS_WELL = {
	RunStarted(state, event) {
		for (const summary of event.pod_groups ?? []) setObject(state, summary);
	},
	ObjectApplied(state, event) {
		setObject(state, event.pod_group);
	},
	ObjectDeleted(state, event) {
		if (event.kind !== "PodGroup") return;
		state.pod_groups = new Map(state.pod_groups);
		state.pod_groups.delete(`${event.namespace}/${event.name}`);
	},
	CycleStarted(state, event) {
		if (!event.pod_group) state.group = null;
	},
	PodAssumed: (state, { pod }) => !state.replay && onlyTried(state, pod),
	PermitEvaluated: (state, { pod }) => !state.replay && onlyTried(state, pod),
};

Object.assign(HANDLERS, OWN);
for (const [type, more] of Object.entries(AS_WELL)) {
	const handler = HANDLERS[type];
	HANDLERS[type] = (state, event) => {
		handler(state, event);
		more(state, event);
	};
}
for (const type of OF_ITS_POD) {
	const handler = HANDLERS[type];
	HANDLERS[type] = (state, event) => {
		const { cycle } = state;
		const others = cycle.CycleStarted?.pod_group && event.pod !== cycle.CycleStarted.pod;
		if (others) state.cycle = {};
		handler(state, event);
		state.cycle = others ? cycle : state.cycle;
	};
}
