// @ts-check
/** Converts the form's fields to the factors of the API; an error's message is a sentence. */
import { t } from "../shared/i18n.js";

/**
 * @typedef {{name: string, fields: Record<string, string>, chosen: string[]}} Filled a fieldset that is switched on
 */
/** @typedef {{factor: Record<string, any>, count: number}} Made */

/** The comma-separated values of a field. @param {string} text */
export function valuesOf(text) {
	return text
		.split(/[,，]/)
		.map((value) => value.trim())
		.filter(Boolean);
}

/**
 * The whole numbers of a field. Throws an Error with a sentence if there is none, or if a value is not one.
 * @param {string} title @param {string} text
 */
function numbersOf(title, text) {
	const values = valuesOf(text);
	if (!values.length) throw new Error(t("bad.values", { name: title }));
	const wrong = values.find((value) => !/^-?\d{1,10}$/.test(value));
	if (wrong) throw new Error(t("bad.numbers", { name: title, value: wrong }));
	return values.map(Number);
}

/** A number, a boolean or a string, as in YAML; quantities stay strings. @param {string} text */
export function scalarOf(text) {
	if (/^-?\d{1,15}$/.test(text)) return Number(text);
	return text === "true" ? true : text === "false" ? false : text;
}

/**
 * The factor that a fieldset describes, and the number of its levels. Throws an Error with a sentence for the author.
 * @param {string} key
 * @param {Filled} filled
 * @returns {Made}
 */
export function factorOf(key, { name, fields, chosen }) {
	if (["strategy", "disable", "releases"].includes(key)) {
		if (!chosen.length) throw new Error(t("bad.values", { name }));
		return { factor: { [key]: chosen }, count: chosen.length + (key === "disable" ? 1 : 0) };
	}
	if (key === "seeds") {
		const [count] = numbersOf(name, fields.count);
		const [from] = numbersOf(name, fields.from);
		return { factor: { seeds: { from, count } }, count };
	}
	if (key === "field") return fieldOf(name, fields);
	if (key === "flag") return flagOf(name, fields);
	const values = numbersOf(name, fields.values);
	const count = values.length;
	if (key === "nodes") return { factor: { nodes: { like: fields.like, add: values } }, count };
	if (key === "weight") return { factor: { weight: { plugin: fields.plugin, values } }, count };
	const field = { kind: "PriorityClass", name: fields.class, path: "value", values };
	return { factor: { name: `priority of ${fields.class}`, field }, count };
}

/**
 * The factor of a controller's flag. Throws an Error with a sentence if a field is empty.
 * @param {string} title @param {Record<string, string>} fields @returns {Made}
 */
function flagOf(title, { actor, flag, values: text }) {
	const values = valuesOf(text);
	if (!values.length || !flag.trim()) throw new Error(t("bad.values", { name: title }));
	return { factor: { flag: { actor, name: flag.trim(), values } }, count: values.length };
}

/**
 * The factor of an object's field. Throws an Error with a sentence if a field of the form is empty.
 * @param {string} title @param {Record<string, string>} fields @returns {Made}
 */
function fieldOf(title, fields) {
	const texts = valuesOf(fields.values);
	if (!texts.length) throw new Error(t("bad.values", { name: title }));
	const [name, namespace] = fields.object.trim().split("/").reverse();
	if (!name || !fields.path.trim()) throw new Error(t("bad.object", { name: title }));
	const quantity = /\.(requests|limits|allocatable|capacity)\./.test(fields.path); // quantities are texts, even 2
	const values = quantity ? texts : texts.map(scalarOf);
	const field = {
		kind: fields.kind.trim(),
		name,
		path: fields.path.trim(),
		values,
		...(namespace ? { namespace } : {}),
	};
	return { factor: { field }, count: values.length };
}
