// @ts-check
/**
 * What is asked, as one value: the edits, those before (for undo), and which attempt they are about. Nothing here
 * touches the page; `apply` makes the next value.
 */

/**
 * @typedef {object} Edit as the API takes it (scheduler_core/ask/editing/edits.py)
 * @property {"set" | "add-nodes" | "remove" | "weight" | "disable" | "strategy"} type
 * @property {string} [kind]
 * @property {string} [name]
 * @property {string} [namespace]
 * @property {(string | number)[]} [path]
 * @property {any} [value]
 * @property {boolean} [add]
 * @property {string} [like]
 * @property {number} [count]
 * @property {string} [plugin]
 * @property {number} [weight]
 * @property {string} [strategy]
 * @property {string} [profile]
 */
/** @typedef {{attempt: number, edits: Edit[], past: Edit[][]}} Asked */
/**
 * @typedef {{type: "attempt", attempt: number} | {type: "put", edits: Edit[], drop?: string[]} |
 *   {type: "drop", keys: string[]} |
 *   {type: "set", edits: Edit[]} | {type: "undo"} | {type: "reset"}} Action
 */

/** What an edit is about: a later one about the same takes its place. @param {Edit} edit */
export function keyOf(edit) {
	const { type, kind, namespace, name, path, like, plugin } = edit;
	return [type, kind, namespace, name, ...(path ?? []), like, plugin].filter((one) => one !== undefined).join("/");
}

/** @param {string} pod its key @param {(string | number)[]} path @param {any} [value] @returns {Edit} */
export function ofPod(pod, path, value = null) {
	const [namespace, name] = pod.split("/");
	return { type: "set", kind: "Pod", name, namespace, path, value };
}

/** @param {number} attempt @returns {Asked} */
export function nothingAsked(attempt) {
	return { attempt, edits: [], past: [] };
}

/** @param {Asked} asked @param {Action} action @returns {Asked} */
export function apply(asked, action) {
	switch (action.type) {
		case "attempt":
			return action.attempt === asked.attempt ? asked : { ...asked, attempt: action.attempt };
		case "put": {
			const keys = new Set([...action.edits.map(keyOf), ...(action.drop ?? [])]);
			const left = asked.edits.filter((one) => !keys.has(keyOf(one)));
			return changed(asked, [...left, ...action.edits]);
		}
		case "drop": {
			const left = asked.edits.filter((one) => !action.keys.includes(keyOf(one)));
			return left.length === asked.edits.length ? asked : changed(asked, left);
		}
		case "set":
			return changed(asked, action.edits);
		case "undo":
			return asked.past.length
				? { ...asked, edits: asked.past[asked.past.length - 1], past: asked.past.slice(0, -1) }
				: asked;
		case "reset":
			return asked.edits.length ? changed(asked, []) : asked;
	}
}

/** @param {Asked} asked @param {Edit[]} edits @returns {Asked} */
function changed(asked, edits) {
	const last = asked.edits;
	const drags = last.length === edits.length && last.every((one, i) => keyOf(one) === keyOf(edits[i]));
	return { ...asked, edits, past: drags && last.length ? asked.past : [...asked.past, last] };
}

/** The value that an edit gives a field, undefined if none does. @param {Asked} asked @param {Edit} edit */
export function askedValue(asked, edit) {
	const key = keyOf(edit);
	return asked.edits.find((one) => keyOf(one) === key)?.value;
}
