// @ts-check
/** A learner's progress and choices, kept in this browser. */

const DONE = "kschedui.done"; // public ids

/**
 * A value from the browser's storage; null if there is none, or no storage.
 * @param {string} key @returns {string | null}
 */
function read(key) {
	try {
		return localStorage.getItem(key);
	} catch {
		return null;
	}
}

/** Stores a value in the browser, if it has storage. @param {string} key @param {string} value */
function keep(key, value) {
	try {
		localStorage.setItem(key, value);
	} catch {
		// without storage, nothing is kept
	}
}

/** The public ids of the scenarios that were finished in this browser. @returns {Set<string>} */
export function doneScenarios() {
	try {
		const ids = JSON.parse(read(DONE) ?? "[]");
		return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []);
	} catch {
		return new Set();
	}
}

/** Marks a scenario as completed. @param {string} id */
export function scenarioDone(id) {
	const done = doneScenarios();
	if (id && !done.has(id)) keep(DONE, JSON.stringify([...done.add(id)]));
}

/** Marks all scenarios as not completed. */
export function forgetDone() {
	keep(DONE, "[]");
}

/** The reader's stored choice; null if there is none. @param {"predict" | "steps"} name */
export function choice(name) {
	return read(`kschedui.${name}`);
}

/** Stores a choice. @param {"predict" | "steps"} name @param {string} value */
export function choose(name, value) {
	keep(`kschedui.${name}`, value);
}

const CHALLENGES = "kschedui.challenges"; // tries by scenario and version, or class

/**
 * `held`: of the `of` conditions, those that held in the best try; `solvedIn`: the try that solved it, 0 if none has.
 * @typedef {{tries: number, held: number, of: number, solvedIn: number}} Tries
 */

/** The tries at every challenge, by its id. @returns {Record<string, Tries>} */
function allTries() {
	try {
		const tries = JSON.parse(read(CHALLENGES) ?? "{}");
		return tries && typeof tries === "object" ? tries : {};
	} catch {
		return {};
	}
}

/** The reader's tries at a challenge so far; null if there are none. @param {string} id @returns {Tries | null} */
export function triesOf(id) {
	return allTries()[id] ?? null;
}

/**
 * Stores one more try, unless the challenge is already solved.
 * @param {string} id @param {{held: number, of: number, solved: boolean}} result
 */
export function keepTry(id, { held, of, solved }) {
	const triesById = allTries();
	const { tries = 0, held: best = 0, solvedIn = 0 } = triesById[id] ?? {};
	if (solvedIn) return;
	const now = { tries: tries + 1, held: Math.max(best, held), of, solvedIn: solved ? tries + 1 : 0 };
	keep(CHALLENGES, JSON.stringify({ ...triesById, [id]: now }));
}
