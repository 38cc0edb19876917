// @ts-check
/** The form of an experiment: shows the number of runs at every change, and starts the experiment. */
import { t, useCatalogue } from "../shared/i18n.js";
import { get, post } from "../shared/server.js";
import { factorOf } from "./factors.js";

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const form = /** @type {HTMLFormElement} */ (element("experiment"));
const button = /** @type {HTMLButtonElement} */ (element("begin"));
const boot = JSON.parse(element("boot").textContent ?? "{}");

/**
 * Reads what the author filled into a fieldset.
 * @param {HTMLFieldSetElement} box @returns {import("./factors.js").Filled}
 */
function readFactor(box) {
	const inputs = /** @type {HTMLInputElement[]} */ ([...box.querySelectorAll("input[name], select[name]")]);
	const checks = inputs.filter((input) => input.type === "checkbox");
	return {
		name: box.querySelector("legend")?.textContent?.trim() ?? "",
		fields: Object.fromEntries(inputs.map((input) => [input.name, input.value])),
		chosen: checks.filter((input) => input.checked).map((input) => input.value),
	};
}

/** Reads the factors that are switched on; throws an error with a sentence about the first problem. */
function readFactors() {
	return boxes.filter(isOn).map((box) => factorOf(box.dataset.factor ?? "", readFactor(box)));
}

/** Whether the factor of a fieldset is switched on. @param {HTMLFieldSetElement} box */
function isOn(box) {
	return /** @type {HTMLInputElement} */ (box.querySelector("[data-on]")).checked;
}

/** Shows a sentence about the problem; "" hides it. @param {string} sentence */
function showProblem(sentence) {
	element("problem").textContent = sentence;
	element("problem").hidden = !sentence;
}

/** Updates the controls, and shows the number of runs or the first problem. */
function showCount() {
	for (const box of boxes) box.classList.toggle("off", !isOn(box));
	const alone = boxes.filter(isOn).map((box) => box.dataset.factor);
	for (const preset of presets)
		preset.setAttribute("aria-pressed", String(alone.length === 1 && alone[0] === preset.dataset.preset));
	showProblem("");
	button.disabled = true;
	try {
		const counts = readFactors().map((factor) => factor.count);
		const n = counts.reduce((product, count) => product * count, 1);
		const text = n.toLocaleString();
		const fits = counts.length > 0 && n <= boot.most;
		element("product").textContent = !counts.length
			? t("product.none")
			: !fits
				? t("product.too.many", { n: text, most: boot.most.toLocaleString() })
				: t(counts.length > 1 ? "product" : "product.one", { n: text, product: counts.join(" × ") });
		button.disabled = !fits;
	} catch (error) {
		element("product").textContent = /** @type {Error} */ (error).message;
	}
}

/** Begins the experiment. */
async function begin() {
	button.disabled = true;
	showProblem("");
	element("product").textContent = t("beginning");
	const factors = readFactors().map((factor) => factor.factor);
	const { scenario, version } = boot;
	const kubernetes = new URLSearchParams(location.search).get("kubernetes");
	const more = kubernetes ? { kubernetes } : {};
	/** @param {import("../shared/server.js").Waiting} waiting */
	const onWait = ({ ahead }) => {
		if (ahead !== null) element("product").textContent = t("busy.ahead", { n: ahead });
	};
	const { status, body } = await post(`${boot.api}experiments`, { scenario, version, factors, ...more }, { onWait });
	if (status === 201) return location.assign(body.url);
	showCount();
	showProblem(body.detail ?? body.errors[0].message);
}

/** Switches one factor on, with the values of a frequent question, and the others off. @param {string} name */
function applyPreset(name) {
	for (const box of boxes) {
		const on = /** @type {HTMLInputElement} */ (box.querySelector("[data-on]"));
		on.checked = box.dataset.factor === name;
		if (!on.checked) continue;
		const values = PRESETS[name]?.(boot) ?? {};
		for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (box.querySelectorAll("[name]"))) {
			if (input.type === "checkbox") input.checked = !values.chosen || values.chosen.includes(input.value);
			else if (input.name === "values" && values.values) input.value = values.values;
		}
	}
	showCount();
	button.focus();
}

/**
 * The values of a preset, by its factor.
 * @type {Record<string, (boot: any) => {chosen?: string[], values?: string}>}
 */
const PRESETS = {
	strategy: () => ({}),
	nodes: () => ({ values: "0, 1, 2, 4, 8" }),
	releases: ({ releases, release }) => {
		const own = releases.includes(release) ? releases.indexOf(release) : releases.length - 1;
		const from = Math.min(own, releases.length - 2);
		return { chosen: releases.slice(from, from + 2) };
	},
};

useCatalogue(await get(form.dataset.texts ?? ""));
const boxes = /** @type {HTMLFieldSetElement[]} */ ([...form.querySelectorAll("fieldset[data-factor]")]);
const presets = /** @type {HTMLButtonElement[]} */ ([...form.querySelectorAll("[data-preset]")]);
for (const choice of presets) {
	choice.addEventListener("click", () => applyPreset(choice.dataset.preset ?? ""));
	choice.disabled = false; // a click before would be lost
}
form.addEventListener("input", (event) => {
	const input = /** @type {HTMLElement} */ (event.target);
	const box = input.closest("fieldset");
	const on = /** @type {HTMLInputElement | null} */ (box?.querySelector("[data-on]"));
	if (on && input !== on) on.checked = true; // filling in a field switches its factor on
	showCount();
});
form.addEventListener("submit", (event) => {
	event.preventDefault();
	if (!button.disabled) begin();
});
showCount();
form.dataset.ready = "";
