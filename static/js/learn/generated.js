// @ts-check
/** What a scenario without questions is asked: a few things of each kind, spread over its attempts. */

/** @typedef {import("./answers.js").Ask} Ask */

const APART = 2; // attempts between two questions
const MOST = 12;
const MOST_ATTEMPTS = 400; // of a long run its beginning is asked about

/**
 * Of each event, what may be asked and how often.
 * @type {Record<string, {kind: string, most: number}[]>}
 */
const KINDS = {
	NodesFiltered: [{ kind: "choice", most: 2 }],
	ScoresComputed: [
		{ kind: "node", most: 3 },
		{ kind: "number", most: 1 },
	],
	PreemptionEvaluated: [
		{ kind: "pod", most: 2 },
		{ kind: "node", most: 1 },
	],
	PodEnqueued: [{ kind: "choice", most: 2 }],
};

export class Generator {
	constructor() {
		/** @type {Map<string, number>} */
		this.made = new Map();
		this.attempt = 0;
		this.last = -APART;
		this.all = 0;
	}

	/**
	 * What to ask of an event, in order of preference.
	 * @param {any} event
	 * @param {ChunkStore} store
	 * @param {number} step
	 * @returns {Ask[]}
	 */
	ask(event, store, step) {
		if (event.type === "CycleStarted") this.attempt = event.attempt;
		if (this.all >= MOST || this.attempt > MOST_ATTEMPTS || this.attempt - this.last < APART) return [];
		const wanted = (KINDS[event.type] ?? []).filter(
			({ kind, most }) => (this.made.get(`${event.type}:${kind}`) ?? 0) < most,
		);
		return wanted.length ? wanted.flatMap(({ kind }) => about(event, kind, store, step)) : [];
	}

	/** It has an answer. @param {Ask} ask */
	counts({ event, kind }) {
		const name = `${event}:${kind}`;
		this.made.set(name, (this.made.get(name) ?? 0) + 1);
		this.last = this.attempt;
		this.all += 1;
	}
}

/** @param {any} event @param {string} kind @param {ChunkStore} store @param {number} step @returns {Ask[]} */
function about(event, kind, store, step) {
	const ask = { event: event.type, kind };
	const before = store.stateBefore(step);
	if (!before) return [];
	if (event.type === "PodEnqueued") return (before.pods.get(event.pod)?.attempts ?? 0) > 0 ? [ask] : [];
	if (event.type === "NodesFiltered") {
		const asked = !event.feasible && event.verdicts.length > 1 && event.evaluated <= 40;
		return asked ? [{ ...ask, about: before.order[event.start] }] : [];
	}
	if (event.type === "ScoresComputed" && kind === "number")
		return before.order.slice(0, 3).map((name) => ({ ...ask, about: name }));
	return [ask];
}
