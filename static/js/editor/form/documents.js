// @ts-check
/**
 * A scenario's text as objects that can be edited one by one. Only the document that changes is written anew; comments,
 * layout and everything that the builder does not know stay as they were typed.
 */

import { isMap, parseDocument } from "../../../vendor/yaml/yaml.js";

const SEPARATOR = /^---(?=\s|$)[ \t]*\n?/m;
const FORMAT = { lineWidth: 0, flowCollectionPadding: false, directives: false };

/** @typedef {(string | number)[]} Path */
/**
 * An object: the index of its document, its path there, and its value.
 * @typedef {{index: number, prefix: Path, value: any}} Ref
 */

export class Documents {
	/** @param {string} text */
	constructor(text) {
		/** @type {string[]} */
		this.sections = text.trim() ? text.split(SEPARATOR) : [];
		if (this.sections.length && !this.sections[0].trim()) this.sections.shift();
		/** @type {any[]} */
		this.parsed = this.sections.map((section) => parseDocument(section));
	}

	/** Whether every document is well-formed YAML. */
	get valid() {
		return this.parsed.every((document) => !document.errors.length);
	}

	/** The objects of the well-formed documents, those in a List one by one. @returns {Ref[]} */
	get objects() {
		/** @type {Ref[]} */
		const out = [];
		this.parsed.forEach((document, index) => {
			const value = document.errors.length ? null : document.toJS();
			if (!value || typeof value !== "object") return;
			if (value.kind === "List")
				(value.items ?? []).forEach((/** @type {any} */ item, /** @type {number} */ i) =>
					out.push({ index, prefix: ["items", i], value: item ?? {} }),
				);
			else out.push({ index, prefix: [], value });
		});
		return out;
	}

	/** The objects of a kind. @param {string} kind @returns {Ref[]} */
	of(kind) {
		return this.objects.filter((ref) => ref.value.kind === kind);
	}

	/**
	 * Sets one field; an undefined or empty value removes it, and maps that become empty, but not fields of the object
	 * itself.
	 * @param {Ref} ref
	 * @param {Path} path
	 * @param {any} value
	 */
	set(ref, path, value) {
		const document = this.parsed[ref.index];
		const full = [...ref.prefix, ...path];
		const empty = full.findIndex((_, depth) => depth > 0 && document.getIn(full.slice(0, depth)) === null);
		if (empty > 0) document.deleteIn(full.slice(0, empty)); // "spec:" without a value has no fields
		if (value === undefined || value === "" || (Array.isArray(value) && !value.length)) {
			if (document.hasIn(full)) document.deleteIn(full);
			for (let end = full.length - 1; end > ref.prefix.length + 1; end -= 1) {
				const holder = document.getIn(full.slice(0, end));
				if (!isMap(holder) || holder.items.length) break;
				document.deleteIn(full.slice(0, end));
			}
		} else {
			const node = document.createNode(value, { flow: path.length > 1 });
			if (document.contents === null) document.contents = document.createNode({});
			document.setIn(full, node);
		}
		this.write(ref.index);
	}

	/** Removes an object, with its document unless it is an item of a List. @param {Ref} ref */
	remove(ref) {
		if (!ref.prefix.length) {
			this.sections.splice(ref.index, 1);
			this.parsed.splice(ref.index, 1);
		} else {
			this.parsed[ref.index].deleteIn(ref.prefix);
			this.write(ref.index);
		}
	}

	/** Adds an object before the Scenario document; at the end if there is none. @param {any} object */
	add(object) {
		const lines = Object.entries(object).map(([key, value]) => `${key}: ${formatField(value, key)}`);
		const section = `${lines.join("\n")}\n`;
		const scenario = this.of("Scenario")[0];
		const at =
			scenario && object.kind !== "Scenario" && !scenario.prefix.length ? scenario.index : this.sections.length;
		this.sections.splice(at, 0, section);
		this.parsed.splice(at, 0, parseDocument(section));
	}

	/** Formats the document after a change. @param {number} index */
	write(index) {
		this.sections[index] = this.parsed[index].toString(FORMAT);
	}

	/** The text with all changes. */
	toString() {
		return this.sections.map((section) => (section.endsWith("\n") ? section : `${section}\n`)).join("---\n");
	}
}

/**
 * The YAML of a field's value: the spec of a pod or workload on lines of its own, any other value on one line.
 * @param {any} value
 * @param {string} key
 */
function formatField(value, key) {
	const document = parseDocument("");
	document.contents = document.createNode(value, { flow: true });
	if (key === "spec" && (value?.containers || value?.template || value?.jobTemplate)) document.contents.flow = false;
	const text = document.toString(FORMAT).trimEnd();
	return document.contents.flow === false ? `\n${text.replace(/^/gm, "  ")}` : text;
}

/**
 * The change that turns one text into another: the part `from`..`to` in which they differ is replaced by `insert`.
 * @param {string} before @param {string} after
 */
export function difference(before, after) {
	const shorter = Math.min(before.length, after.length);
	let from = 0;
	while (from < shorter && before[from] === after[from]) from += 1;
	let same = 0;
	while (same < shorter - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
	return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
