// @ts-check
/** A learner's progress and choices, kept in this browser. */

const DONE = "kschedui.done"; // public ids

/** @param {string} key @returns {string | null} null too where there is no storage */
function read(key) {
	try {
		return localStorage.getItem(key);
	} catch {
		return null;
	}
}

/** @param {string} key @param {string} value */
function keep(key, value) {
	try {
		localStorage.setItem(key, value);
	} catch {
		// without storage nothing is remembered
	}
}

/** @returns {Set<string>} */
export function doneScenarios() {
	try {
		const ids = JSON.parse(read(DONE) ?? "[]");
		return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []);
	} catch {
		return new Set();
	}
}

/** Its end was reached. @param {string} id */
export function scenarioDone(id) {
	const done = doneScenarios();
	if (id && !done.has(id)) keep(DONE, JSON.stringify([...done.add(id)]));
}

/** The choice that was made before; null: none. @param {"predict" | "steps"} name */
export function choice(name) {
	return read(`kschedui.${name}`);
}

/** @param {"predict" | "steps"} name @param {string} value */
export function choose(name, value) {
	keep(`kschedui.${name}`, value);
}
