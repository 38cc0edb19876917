// @ts-check
/** The builder's scheduler settings: plugins on and off, score weights, the scoring strategy, sampling, the seed. */
import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { PLUGINS } from "../../steps/parts/plugins.js";
import { section } from "./form.js";
import { setWithWeight, weightAt } from "./plugin_sets.js";
import * as shapes from "./shapes.js";
import { scenarioOf } from "./timeline_section.js";

/** @typedef {import("./form.js").Form} Form */
/** @typedef {(point: string, name: string, normal: number, weight: number) => void} Weigh */

const DEFAULTS = Object.entries(PLUGINS).filter(([, { points }]) => points);
/** Score plugins of the default profile and their weights. */
const SCORE = DEFAULTS.flatMap(([name, { weight }]) => (weight ? [/** @type {const} */ ([name, weight])] : []));
/** Plugins that a profile can disable, and their extension points. */
const OPTIONAL = DEFAULTS.flatMap(([name, { points = [] }]) => {
	const point = /** @type {const} */ (["filter", "postFilter"]).find((candidate) => points.includes(candidate));
	return point ? [/** @type {const} */ ([point, name])] : [];
});
const ON = 1; // where a plugin has no weight
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
	/** Sets the weight of a plugin at a point. @type {Weigh} */
	const weigh = (point, name, normal, weight) =>
		edit(() => {
			const set = setWithWeight(profile.plugins, point, name, normal, weight);
			documents.set(config(), ["profiles", 0, "plugins", point, "disabled"], set.disabled);
			documents.set(config(), ["profiles", 0, "plugins", point, "enabled"], set.enabled);
		});
	const rows = SCORE.map(([name, normal]) =>
		h(
			"label",
			{ key: name, class: "weight" },
			h("span", null, name),
			h("input", {
				type: "number",
				min: 0,
				max: 100,
				value: weightAt(profile.plugins, "score", name, normal),
				on: {
					change: (/** @type {any} */ event) =>
						weigh("score", name, normal, Math.max(0, Number(event.target.value) || 0)),
				},
			}),
		),
	);
	return section(
		"scheduler",
		() => edit(() => void config()),
		h("p", { class: "muted" }, t("builder.scheduler.help")),
		h("div", { class: "weights" }, ...rows),
		h("p", { class: "muted" }, t("builder.plugins.help")),
		h("div", { class: "weights" }, ...pluginSwitches(profile.plugins, weigh)),
		strategyField(form, profile, config),
		samplingField(form, configuration, config),
		seedField(form),
	);
}

/**
 * Checkboxes for Filter plugins and preemption.
 * @param {import("./plugin_sets.js").PluginSets | undefined} plugins
 * @param {Weigh} weigh
 */
function pluginSwitches(plugins, weigh) {
	return OPTIONAL.map(([point, name]) =>
		h(
			"label",
			{ key: `on:${name}`, class: "weight" },
			h("span", null, name),
			h("input", {
				type: "checkbox",
				checked: weightAt(plugins, point, name, ON) > 0,
				on: { change: (/** @type {any} */ event) => weigh(point, name, ON, event.target.checked ? ON : 0) },
			}),
		),
	);
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
