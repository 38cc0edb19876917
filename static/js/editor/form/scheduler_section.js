// @ts-check
/** The builder's scheduler settings: plugins on and off, score weights, the scoring strategy, sampling, the seed. */
import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { PLUGINS } from "../../steps/parts/plugins.js";
import { section } from "./form.js";
import * as shapes from "./shapes.js";
import { scenarioOf } from "./timeline_section.js";

/** @typedef {import("./form.js").Form} Form */

const DEFAULTS = Object.entries(PLUGINS).filter(([, { points }]) => points);
/** Score plugins of the default profile and their weights. */
const SCORE = DEFAULTS.flatMap(([name, { weight }]) => (weight ? [/** @type {const} */ ([name, weight])] : []));
/** Plugins that a profile can disable, and their extension points. */
const OPTIONAL = DEFAULTS.flatMap(([name, { points = [] }]) => {
	const point = /** @type {const} */ (["filter", "postFilter"]).find((candidate) => points.includes(candidate));
	return point ? [/** @type {const} */ ([point, name])] : [];
});
const STRATEGIES = ["LeastAllocated", "MostAllocated"];

/**
 * The section for the first profile: weights (0: off), other plugins, the scoring strategy, sampling and the seed.
 * @param {Form} form
 */
export function schedulerSection(form) {
	const { documents, edit } = form;
	const configuration = documents.of("KubeSchedulerConfiguration")[0];
	const profile = configuration?.value.profiles?.[0] ?? {};
	/** The KubeSchedulerConfiguration, which is added if there is none. */
	const config = () => {
		if (!documents.of("KubeSchedulerConfiguration").length) documents.add(shapes.configuration());
		return documents.of("KubeSchedulerConfiguration")[0];
	};
	const score = profile.plugins?.score ?? {};
	const off = new Set((score.disabled ?? []).map((/** @type {any} */ entry) => entry.name));
	const weights = new Map((score.enabled ?? []).map((/** @type {any} */ entry) => [entry.name, entry.weight]));
	/** Sets the weight of a plugin. @param {string} name @param {number} normal @param {number} weight 0: off */
	const weigh = (name, normal, weight) =>
		edit(() => {
			const others = (/** @type {any[]} */ list) => (list ?? []).filter((entry) => entry.name !== name);
			const ref = config();
			documents.set(
				ref,
				["profiles", 0, "plugins", "score", "disabled"],
				weight === normal ? others(score.disabled) : [...others(score.disabled), { name }],
			);
			documents.set(
				documents.of("KubeSchedulerConfiguration")[0],
				["profiles", 0, "plugins", "score", "enabled"],
				weight === normal || !weight ? others(score.enabled) : [...others(score.enabled), { name, weight }],
			);
		});
	const rows = SCORE.map(([name, normal]) => {
		const weight = weights.get(name) ?? (off.has(name) ? 0 : normal);
		return h(
			"label",
			{ key: name, class: "weight" },
			h("span", null, name),
			h("input", {
				type: "number",
				min: 0,
				max: 100,
				value: weight,
				on: { change: (/** @type {any} */ event) => weigh(name, normal, Math.max(0, Number(event.target.value) || 0)) },
			}),
		);
	});
	return section(
		"scheduler",
		() => edit(() => void config()),
		h("p", { class: "muted" }, t("builder.scheduler.help")),
		h("div", { class: "weights" }, ...rows),
		h("p", { class: "muted" }, t("builder.plugins.help")),
		h("div", { class: "weights" }, ...pluginSwitches(form, profile, config)),
		strategyField(form, profile, config),
		samplingField(form, configuration, config),
		seedField(form),
	);
}

/**
 * Checkboxes for Filter plugins and preemption.
 * @param {Form} form
 * @param {any} profile
 * @param {() => import("./documents.js").Ref} config
 */
function pluginSwitches({ documents, edit }, profile, config) {
	return OPTIONAL.map(([point, name]) => {
		const disabled = profile.plugins?.[point]?.disabled ?? [];
		const others = disabled.filter((/** @type {any} */ entry) => entry.name !== name);
		const change = (/** @type {boolean} */ on) =>
			edit(() =>
				documents.set(config(), ["profiles", 0, "plugins", point, "disabled"], on ? others : [...others, { name }]),
			);
		return h(
			"label",
			{ key: `on:${name}`, class: "weight" },
			h("span", null, name),
			h("input", {
				type: "checkbox",
				checked: others.length === disabled.length,
				on: { change: (/** @type {any} */ event) => change(event.target.checked) },
			}),
		);
	});
}

/**
 * The field of percentageOfNodesToScore.
 * @param {Form} form
 * @param {import("./documents.js").Ref | undefined} configuration
 * @param {() => import("./documents.js").Ref} config
 */
function samplingField({ documents, edit }, configuration, config) {
	const change = (/** @type {string} */ text) =>
		edit(() => documents.set(config(), ["percentageOfNodesToScore"], text === "" ? undefined : Number(text)));
	return h(
		"label",
		{ class: "weight" },
		h("span", null, t("builder.sampling")),
		h("input", {
			type: "number",
			min: 0,
			max: 100,
			value: configuration?.value.percentageOfNodesToScore ?? "",
			placeholder: t("builder.sampling.none"),
			on: { change: (/** @type {any} */ event) => change(event.target.value) },
		}),
	);
}

/**
 * The choice of NodeResourcesFit's scoring strategy.
 * @param {Form} form @param {any} profile @param {() => import("./documents.js").Ref} config
 */
function strategyField({ documents, edit }, profile, config) {
	const fit = (profile.pluginConfig ?? []).find((/** @type {any} */ entry) => entry.name === "NodeResourcesFit");
	const now = fit?.args?.scoringStrategy?.type ?? STRATEGIES[0];
	const choose = (/** @type {string} */ type) =>
		edit(() => {
			const others = (profile.pluginConfig ?? []).filter(
				(/** @type {any} */ entry) => entry.name !== "NodeResourcesFit",
			);
			const args = {
				scoringStrategy: {
					type,
					resources: [
						{ name: "cpu", weight: 1 },
						{ name: "memory", weight: 1 },
					],
				},
			};
			documents.set(
				config(),
				["profiles", 0, "pluginConfig"],
				type === STRATEGIES[0] ? others : [...others, { name: "NodeResourcesFit", args }],
			);
		});
	const options = [...new Set([...STRATEGIES, now])];
	return h(
		"label",
		{ class: "weight" },
		h("span", null, t("builder.strategy")),
		h(
			"select",
			{ value: now, on: { change: (/** @type {any} */ event) => choose(event.target.value) } },
			...options.map((name) => h("option", { key: name, value: name, selected: name === now }, name)),
		),
	);
}

/** The field for the scenario's seed. @param {Form} form */
function seedField(form) {
	const value = form.documents.of("Scenario")[0]?.value.spec?.seed;
	const change = (/** @type {string} */ text) =>
		form.edit(() => form.documents.set(scenarioOf(form), ["spec", "seed"], text === "" ? undefined : Number(text)));
	return h(
		"label",
		{ class: "weight" },
		h("span", null, t("builder.seed")),
		h("input", {
			type: "number",
			min: 0,
			value: value ?? "",
			placeholder: t("builder.seed.none"),
			on: { change: (/** @type {any} */ event) => change(event.target.value) },
		}),
	);
}
