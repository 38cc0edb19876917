// @ts-check
/** Form controls: a slider with its number, a switch, a list of removable items. */

import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { isBytes } from "../../shared/units.js";

const CPU_STEP = 50; // of a slider, in millicores
const STEPS = 256; // of a slider whose step is not 1, at least

/** A group of fields. @param {string} key @param {string} title @param {Child[]} body */
export function group(key, title, ...body) {
	return h("fieldset", { key, class: "ask-group" }, h("legend", null, title), ...body);
}

/** The text in the field that an event is about. @param {Event} event */
export function valueOfField(event) {
	return /** @type {HTMLInputElement} */ (event.target).value;
}

/**
 * A quantity: a slider, and the text that is sent.
 * @param {string} key
 * @param {string} label
 * @param {{resource: string, was: any, now: any, most: number, set: (text: string) => void}} field
 */
export function quantityField(key, label, { resource, was, now, most, set }) {
	const value = now ?? was ?? "0";
	const number = parseAmount(resource, value);
	const before = parseAmount(resource, was ?? 0) || 0;
	const top = Math.max(most, before * 2, 1);
	const coarse = Math.max(1, 2 ** Math.floor(Math.log2(top / STEPS)));
	const step = resource === "cpu" ? CPU_STEP : coarse;
	const slider = {
		min: "0",
		max: String(Math.ceil(top / step) * step),
		step: String(step),
		value: String(Number.isNaN(number) ? 0 : number),
		on: { input: (/** @type {Event} */ event) => set(amountText(resource, Number(valueOfField(event)))) },
	};
	const change = (/** @type {Event} */ event) => set(valueOfField(event).trim());
	const text = { type: "text", autocomplete: "off", value: String(value), on: { change } };
	return sliderField(key, label, now !== undefined && now !== was, slider, text);
}

/**
 * A slider with a field for the same value.
 * @param {string} key @param {string} label @param {boolean} edited
 * @param {Record<string, any>} slider @param {Record<string, any>} text
 */
function sliderField(key, label, edited, slider, text) {
	return h(
		"div",
		{ key, class: `ask-field ${edited ? "edited" : ""}` },
		h("label", { key: "label", for: `ask-${key}` }, label),
		h("input", { key: "slider", type: "range", "aria-label": label, ...slider }),
		h("input", { key: "text", id: `ask-${key}`, class: "ask-number", ...text }),
	);
}

/**
 * A whole number with a slider.
 * @param {string} key
 * @param {string} label
 * @param {{was: number, now: number | undefined, least: number, most: number, set: (value: number) => void}} field
 */
export function numberField(key, label, { was, now, least, most, set }) {
	const value = String(now ?? was);
	const on = (/** @type {Event} */ event) => {
		const number = Number.parseInt(valueOfField(event), 10);
		if (Number.isFinite(number)) set(number);
	};
	const slider = { min: String(least), max: String(Math.max(most, was)), value, on: { input: on } };
	const text = { type: "number", value, on: { change: on } };
	return sliderField(key, label, now !== undefined && now !== was, slider, text);
}

/**
 * A text field; it is marked as invalid if `put` rejects the text.
 * @param {string} key
 * @param {string} label
 * @param {{value: string, options?: string[], put: (text: string) => boolean}} field
 */
export function textField(key, label, { value, options = [], put }) {
	const change = (/** @type {Event} */ event) => {
		const field = /** @type {HTMLInputElement} */ (event.target);
		field.setAttribute("aria-invalid", String(!put(field.value.trim())));
	};
	return h(
		"div",
		{ key, class: "ask-field wide" },
		h("label", { key: "label", for: `ask-${key}` }, label),
		h("input", {
			key: "text",
			id: `ask-${key}`,
			type: "text",
			autocomplete: "off",
			list: `ask-${key}-known`,
			value,
			on: { change },
		}),
		h(
			"datalist",
			{ key: "known", id: `ask-${key}-known` },
			options.map((option) => h("option", { key: option, value: option })),
		),
	);
}

/**
 * A choice between several values.
 * @param {string} key
 * @param {string} label
 * @param {string} value
 * @param {string[]} all
 * @param {(value: string) => void} set
 */
export function choiceField(key, label, value, all, set) {
	return h(
		"div",
		{ key, class: "ask-field wide" },
		h("label", { for: `ask-${key}` }, label),
		h(
			"select",
			{ id: `ask-${key}`, value, on: { change: (/** @type {Event} */ event) => set(valueOfField(event)) } },
			all.map((option) => h("option", { key: option, value: option, selected: option === value }, option)),
		),
	);
}

/**
 * An item of a list with its fields.
 * @param {string} key
 * @param {string} title
 * @param {() => void} drop
 * @param {Child[]} fields
 */
export function termBox(key, title, drop, fields) {
	return h(
		"div",
		{ key, class: "ask-term", role: "group", "aria-label": title },
		h(
			"p",
			{ key: "head" },
			h("b", null, title),
			button(drop, { class: "icon-button", "aria-label": t("ask.without", { what: title }) }, "✕"),
		),
		fields,
	);
}

/**
 * A field that is on or off.
 * @param {string} key @param {string} label @param {boolean} checked @param {(on: boolean) => void} set
 */
export function toggle(key, label, checked, set) {
	const on = { change: (/** @type {any} */ event) => set(event.target.checked) };
	return h(
		"label",
		{ key, class: "ask-switch" },
		h("input", { type: "checkbox", checked, on }),
		h("span", null, label),
	);
}

/**
 * A list of removable items, with a field to add one.
 * @param {string} key
 * @param {{label: string, items: {key: string, text: string, drop: () => void}[], hint: string, options?: string[],
 *   add: ((text: string) => void) | null}} list
 */
export function listField(key, { label, items, hint, options = [], add }) {
	const submit = (/** @type {SubmitEvent} */ event) => {
		event.preventDefault();
		const field = /** @type {HTMLInputElement} */ (/** @type {HTMLFormElement} */ (event.target).elements.item(0));
		if (field.value.trim()) add?.(field.value.trim());
		field.value = "";
	};
	return h(
		"div",
		{ key, class: "ask-list" },
		h("span", { key: "label", class: "ask-label" }, label),
		h(
			"ul",
			{ key: "items" },
			items.map((item) =>
				h(
					"li",
					{ key: item.key },
					h("code", null, item.text),
					button(item.drop, { class: "icon-button", "aria-label": t("ask.without", { what: item.text }) }, "✕"),
				),
			),
		),
		add &&
			h(
				"form",
				{ key: "add", class: "ask-add", on: { submit } },
				h("input", { type: "text", placeholder: hint, "aria-label": `${label}: ${hint}`, list: `ask-${key}-known` }),
				h(
					"datalist",
					{ id: `ask-${key}-known` },
					options.map((option) => h("option", { key: option, value: option })),
				),
				h("button", { class: "button" }, t("ask.add")),
			),
	);
}

const UNITS = { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, m: 1e-3 };
const MIB = 2 ** 20;

/**
 * The amount of a quantity in the sliders' units: "1500m" of cpu is 1500, "1Gi" of memory 1024; NaN if it is not one.
 * @param {string} resource
 * @param {any} text
 */
export function parseAmount(resource, text) {
	const match = /^([+-]?[0-9.]+)(m|[kMGT]i?|Ki)?$/.exec(String(text).trim());
	if (!match) return Number.NaN;
	const value = Number(match[1]) * UNITS[/** @type {keyof typeof UNITS} */ (match[2] ?? "")];
	return resource === "cpu" ? Math.round(value * 1000) : isBytes(resource) ? value / MIB : value;
}

/** An amount in the sliders' units as the quantity of a manifest. @param {string} resource @param {number} value */
export function amountText(resource, value) {
	if (resource === "cpu") return value % 1000 ? `${value}m` : String(value / 1000);
	if (!isBytes(resource)) return String(value);
	return value % 1024 ? `${value}Mi` : `${value / 1024}Gi`;
}

/** Converts an amount of the engine to the sliders' units. @param {string} resource @param {number} amount */
export function fromEngine(resource, amount) {
	return isBytes(resource) ? amount / MIB : amount;
}
