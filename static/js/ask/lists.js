// @ts-check
/**
 * A list of an object that is edited: what changes within an item is an edit of that field, so that the text kept shows
 * that line; an item that comes or goes is an edit of the whole list.
 */

import { keyOf } from "./edits.js";

/** @typedef {import("./edits.js").Edit} Edit */
/** @typedef {import("./edits.js").Asked} Asked */
/** @typedef {(string | number)[]} Path */

/**
 * The list as it is asked for.
 * @param {Asked} asked
 * @param {Edit} edit of the whole list
 * @param {any[]} was
 * @returns {any[]}
 */
export function currentList(asked, edit, was) {
	const at = (edit.path ?? []).length;
	let list = was;
	for (const { path = [], value } of related(asked, edit)) {
		if (path.length <= at)
			list = (edit.path ?? []).slice(path.length).reduce((here, part) => here?.[part], value) ?? [];
		else list = list.map((item, i) => (i === path[at] ? withValue(item, path.slice(at + 1), value) : item));
	}
	return list;
}

/**
 * The edits that make the list so, in place of all that were about it.
 * @param {Asked} asked
 * @param {Edit} edit
 * @param {{was: any[], now: any[], empty?: Edit}} list `empty`: what takes it away, where that is not its own field
 * @returns {{edits: Edit[], drop: string[]}}
 */
export function listEdits(asked, edit, { was, now, empty = edit }) {
	const drop = related(asked, edit).map(keyOf);
	if (!now.length && was.length) return { edits: [{ ...empty, value: null }], drop };
	if (now.length !== was.length) return { edits: [{ ...edit, value: now }], drop };
	return { edits: now.flatMap((item, i) => fieldEdits(edit, [i], was[i], item)), drop };
}

/** Edits of the list, within it, or of what it stands in. @param {Asked} asked @param {Edit} edit */
function related(asked, { kind, name, namespace, path = [] }) {
	return asked.edits.filter(
		(one) =>
			one.type === "set" &&
			one.kind === kind &&
			one.name === name &&
			one.namespace === namespace &&
			path.every((part, i) => i >= (one.path ?? []).length || one.path?.[i] === part),
	);
}

/** @param {any} item @param {Path} path @param {any} value @returns {any} */
function withValue(item, [first, ...rest], value) {
	return { ...item, [first]: rest.length ? withValue(item?.[first] ?? {}, rest, value) : value };
}

/**
 * The fields of an item that differ.
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
