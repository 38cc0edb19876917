// @ts-check
/** The pod: requests, priority, labels, node selector, tolerations; its spreading and affinity are in terms.js. */

import { capacityPage } from "../../chrome/inspector.js";
import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { taintText } from "../../shared/taints.js";
import { askedValue, podEdit, priorityEdits } from "../edits.js";
import { fromEngine, group, listField, numberField, quantityField } from "./parts.js";
import { affinityFields, spreadFields } from "./terms.js";

/** @typedef {import("../panel.js").Panel} Panel */
/** @typedef {import("../edits.js").Edit} Edit */

const MAX_OPTIONS = 40; // taints that are offered

/** The form for the pod of the attempt. @param {Panel} panel @returns {Child} */
export function podFields(panel) {
	const { manifest } = panel.about;
	const spec = manifest.spec ?? {};
	return [
		group("requests", t("ask.requests"), requestFields(panel, spec)),
		group("priority", t("ask.priority"), priorityField(panel, spec)),
		group(
			"labels",
			t("ask.where"),
			pairsField(panel, "labels", ["metadata", "labels"], manifest.metadata?.labels ?? {}),
			pairsField(panel, "selector", ["spec", "nodeSelector"], spec.nodeSelector ?? {}),
			tolerationsField(panel, spec.tolerations ?? []),
		),
		spreadFields(panel),
		affinityFields(panel),
		h(
			"p",
			{ key: "howmany" },
			h("a", { class: "button", href: capacityPage(panel.view, panel.about.pod) }, t("ask.howmany")),
		),
	];
}

/**
 * An edit that sets a field of the panel's pod; null removes it.
 * @param {Panel} panel @param {(string | number)[]} path @param {any} [value] @returns {Edit}
 */
function fieldEdit({ about }, path, value = null) {
	return podEdit(about.pod, path, value);
}

/**
 * The value of a field in the question: as edited, or the original one.
 * @param {Panel} panel
 * @param {(string | number)[]} path
 * @param {any} was
 */
function currentValue(panel, path, was) {
	const edited = askedValue(panel.asked, fieldEdit(panel, path));
	return edited === undefined ? was : edited;
}

/** The fields of the containers' requests. @param {Panel} panel @param {any} spec */
function requestFields(panel, spec) {
	return (spec.containers ?? []).flatMap((/** @type {any} */ container, /** @type {number} */ i) => {
		const resources = { ...container.resources?.limits, ...container.resources?.requests };
		const names = [...new Set(["cpu", "memory", ...Object.keys(resources)])];
		return names.map((resource) => {
			const path = ["spec", "containers", i, "resources", "requests", resource];
			const most = Math.max(
				0,
				...[...panel.view.state.nodes.values()].map(({ summary }) =>
					fromEngine(resource, summary.allocatable[resource] ?? 0),
				),
			);
			const label = spec.containers.length > 1 ? `${container.name}: ${resource}` : resource;
			return quantityField(`${i}-${resource}`, label, {
				resource,
				was: resources[resource],
				now: askedValue(panel.asked, fieldEdit(panel, path)),
				most,
				set: (text) => panel.put([fieldEdit(panel, path, text)]),
			});
		});
	});
}

/** The field of the pod's priority. @param {Panel} panel @param {any} spec */
function priorityField(panel, spec) {
	const was = panel.view.state.pods.get(panel.about.pod)?.summary.priority ?? spec.priority ?? 0;
	const askedPriority = askedValue(panel.asked, fieldEdit(panel, ["spec", "priority"]));
	const others = [...panel.view.state.pods.values()].map((pod) => pod.summary.priority ?? 0);
	return numberField("priority", t("ask.priority"), {
		was,
		now: askedPriority,
		least: Math.min(0, was),
		most: Math.min(1e9, Math.max(10, ...others) + 10),
		set: (value) => panel.put(priorityEdits(panel.about.pod, spec, value)),
	});
}

/**
 * A field of keys and values.
 * @param {Panel} panel @param {string} key @param {string[]} path @param {Record<string, string>} was
 */
function pairsField(panel, key, path, was) {
	const names = [...new Set([...Object.keys(was), ...panel.namesBelow("Pod", path)])];
	const items = names
		.map((name) => ({ name, value: currentValue(panel, [...path, name], was[name] ?? null) }))
		.filter((pair) => pair.value !== null);
	return listField(key, {
		label: t(`ask.${key}`),
		items: items.map(({ name, value }) => ({
			key: name,
			text: `${name}=${value}`,
			drop: () =>
				name in was
					? panel.put([fieldEdit(panel, [...path, name], null)])
					: panel.drop([fieldEdit(panel, [...path, name])]),
		})),
		hint: "key=value",
		add: (text) => {
			const [name, ...rest] = text.split("=");
			panel.put([fieldEdit(panel, [...path, name.trim()], rest.join("=").trim())]);
		},
	});
}

/** A toleration as text: "gpu=true:NoSchedule"; "*" stands for any. @param {any} toleration */
function tolerationText(toleration) {
	return `${toleration.key || "*"}${toleration.value ? `=${toleration.value}` : ""}:${toleration.effect || "*"}`;
}

/** Parses a toleration such as "key=value:Effect"; without a value, its operator is Exists. @param {string} text */
function parseToleration(text) {
	const [pair, effect] = text.split(":");
	const [key, value] = pair.split("=");
	const about = value === undefined ? { operator: "Exists" } : { operator: "Equal", value };
	return { key: key.trim(), ...about, ...(effect ? { effect: effect.trim() } : {}) };
}

/** The field of the pod's tolerations. @param {Panel} panel @param {any[]} was */
function tolerationsField(panel, was) {
	const path = ["spec", "tolerations"];
	/** @type {any[]} */
	const list = currentValue(panel, path, was) ?? [];
	const taints = [...panel.view.state.nodes.values()].flatMap((node) => node.summary.taints ?? []);
	const taintTexts = [...new Set(taints.map(([key, value, effect]) => taintText({ key, value, effect })))];
	return listField("tolerations", {
		label: t("ask.tolerations"),
		items: list.map((toleration, i) => ({
			key: String(i),
			text: tolerationText(toleration),
			drop: () => panel.put([fieldEdit(panel, path, list.toSpliced(i, 1))]),
		})),
		hint: "key=value:NoSchedule",
		options: taintTexts.slice(0, MAX_OPTIONS),
		add: (text) => panel.put([fieldEdit(panel, path, [...list, parseToleration(text)])]),
	});
}
