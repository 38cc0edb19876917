// @ts-check
/** What this browser remembers of a learner: scenarios whose end was reached, and what was chosen. */

const DONE = "kschedui.done"; // public ids

/** @param {string} key @returns {string | null} null too where there is no storage */
function kept(key) {
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
		const found = JSON.parse(kept(DONE) ?? "[]");
		return new Set(Array.isArray(found) ? found.filter((id) => typeof id === "string") : []);
	} catch {
		return new Set();
	}
}

/** Its end was reached. @param {string} id */
export function scenarioDone(id) {
	const done = doneScenarios();
	if (id && !done.has(id)) keep(DONE, JSON.stringify([...done.add(id)]));
}

/** What was chosen; null: nothing yet. @param {"predict" | "steps"} name */
export function choice(name) {
	return kept(`kschedui.${name}`);
}

/** @param {"predict" | "steps"} name @param {string} value */
export function choose(name, value) {
	keep(`kschedui.${name}`, value);
}
