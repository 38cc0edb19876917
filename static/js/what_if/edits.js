// @ts-check
/**
 * A what-if question as an immutable value: the edits, earlier ones for undo, and the attempt. `apply` returns the next
 * value.
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
 * @typedef {{type: "put", edits: Edit[], drop?: string[]} | {type: "drop", keys: string[]} |
 *   {type: "set", edits: Edit[]} | {type: "undo"} | {type: "reset"}} Action
 */

/** The key of the field or object that an edit changes; a later edit with this key replaces it. @param {Edit} edit */
export function keyOf(edit) {
	const { type, kind, namespace, name, path, like, plugin } = edit;
	return [type, kind, namespace, name, ...(path ?? []), like, plugin].filter((part) => part !== undefined).join("/");
}

/**
 * An edit that sets a field of a pod; null removes it.
 * @param {string} pod its key @param {(string | number)[]} path @param {any} [value] @returns {Edit}
 */
export function podEdit(pod, path, value = null) {
	const [namespace, name] = pod.split("/");
	return { type: "set", kind: "Pod", name, namespace, path, value };
}

/**
 * The edits that set the priority, and remove priorityClassName and preemptionPolicy, which may contradict it.
 * @param {string} pod @param {any} spec the pod's own @param {number} value @returns {Edit[]}
 */
export function priorityEdits(pod, spec, value) {
	const others = ["priorityClassName", "preemptionPolicy"].filter((name) => spec[name]);
	return [podEdit(pod, ["spec", "priority"], value), ...others.map((name) => podEdit(pod, ["spec", name]))];
}

/** A question without edits. @param {number} attempt @returns {Asked} */
export function nothingAsked(attempt) {
	return { attempt, edits: [], past: [] };
}

/** The question after an action. @param {Asked} asked @param {Action} action @returns {Asked} */
export function apply(asked, action) {
	switch (action.type) {
		case "put": {
			const keys = new Set([...action.edits.map(keyOf), ...(action.drop ?? [])]);
			const left = asked.edits.filter((edit) => !keys.has(keyOf(edit)));
			return withEdits(asked, [...left, ...action.edits]);
		}
		case "drop": {
			const left = asked.edits.filter((edit) => !action.keys.includes(keyOf(edit)));
			return left.length === asked.edits.length ? asked : withEdits(asked, left);
		}
		case "set":
			return withEdits(asked, action.edits);
		case "undo":
			return asked.past.length
				? { ...asked, edits: asked.past[asked.past.length - 1], past: asked.past.slice(0, -1) }
				: asked;
		case "reset":
			return asked.edits.length ? withEdits(asked, []) : asked;
	}
}

/**
 * The question with other edits. If only their values differ, as while a slider is dragged, undo goes back before all
 * of these changes.
 * @param {Asked} asked @param {Edit[]} edits @returns {Asked}
 */
function withEdits(asked, edits) {
	const last = asked.edits;
	const drags = last.length === edits.length && last.every((edit, i) => keyOf(edit) === keyOf(edits[i]));
	return { ...asked, edits, past: drags && last.length ? asked.past : [...asked.past, last] };
}

/** The value that the edits give to an edit's field; undefined if none does. @param {Asked} asked @param {Edit} edit */
export function askedValue(asked, edit) {
	const key = keyOf(edit);
	return asked.edits.find((other) => keyOf(other) === key)?.value;
}

/** @typedef {(string | number)[]} Path */

/**
 * A list with the edits of the question applied.
 * @param {Asked} asked
 * @param {Edit} edit of the whole list
 * @param {any[]} was
 * @returns {any[]}
 */
export function currentList(asked, edit, was) {
	const at = (edit.path ?? []).length;
	let list = was;
	for (const { path = [], value } of editsOfList(asked, edit)) {
		if (path.length <= at)
			list = (edit.path ?? []).slice(path.length).reduce((here, part) => here?.[part], value) ?? [];
		else list = list.map((item, i) => (i === path[at] ? withValue(item, path.slice(at + 1), value) : item));
	}
	return list;
}

/**
 * The edits that change the list from `was` to `now`, and the earlier edits that they replace.
 * @param {Asked} asked
 * @param {Edit} edit
 * @param {{was: any[], now: any[], empty?: Edit}} list `empty`: the edit that removes the list, if not `edit`
 * @returns {{edits: Edit[], drop: string[]}}
 */
export function listEdits(asked, edit, { was, now, empty = edit }) {
	const drop = editsOfList(asked, edit).map(keyOf);
	if (!now.length && was.length) return { edits: [{ ...empty, value: null }], drop };
	if (now.length !== was.length) return { edits: [{ ...edit, value: now }], drop };
	return { edits: now.flatMap((item, i) => fieldEdits(edit, [i], was[i], item)), drop };
}

/** The edits of the list, of values in it, or of a value that contains it. @param {Asked} asked @param {Edit} edit */
function editsOfList(asked, { kind, name, namespace, path = [] }) {
	return asked.edits.filter(
		(edit) =>
			edit.type === "set" &&
			edit.kind === kind &&
			edit.name === name &&
			edit.namespace === namespace &&
			path.every((part, i) => i >= (edit.path ?? []).length || edit.path?.[i] === part),
	);
}

/** A copy of an object with a field set. @param {any} item @param {Path} path @param {any} value @returns {any} */
function withValue(item, [first, ...rest], value) {
	return { ...item, [first]: rest.length ? withValue(item?.[first] ?? {}, rest, value) : value };
}

/**
 * The edits of the fields of an item that differ.
 * @param {Edit} edit
 * @param {Path} at
 * @param {any} was
 * @param {any} now
 * @returns {Edit[]}
 */
function fieldEdits(edit, at, was, now) {
	return [...new Set([...Object.keys(was), ...Object.keys(now)])]
		.filter((field) => JSON.stringify(was[field]) !== JSON.stringify(now[field]))
		.map((field) => ({ ...edit, path: [...(edit.path ?? []), ...at, field], value: now[field] ?? null }));
}
