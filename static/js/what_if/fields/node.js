// @ts-check
/** The fields of a node: resources, labels and taints, cordoned or removed, copies; and the budgets. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { taintText, toTaint } from "../../shared/taints.js";
import { askedValue } from "../edits.js";
import { amountText, fromEngine, group, listField, numberField, quantityField, toggle, valueOfField } from "./parts.js";

/** @typedef {import("../panel.js").Panel} Panel */
/** @typedef {import("../edits.js").Edit} Edit */

const MAX_ADDED = 20; // on the slider
const MAX_NAMES = 300; // offered for completion

/** The form for the chosen node: its allocatable resources, labels and taints. @param {Panel} panel @returns {Child} */
export function nodeFields(panel) {
	const name = panel.node;
	const node = panel.view.state.nodes.get(name);
	const choose = (/** @type {Event} */ event) => panel.choose(valueOfField(event).trim());
	return [
		h(
			"div",
			{ key: "which", class: "ask-field which" },
			h("label", { for: "ask-node" }, t("node")),
			h("input", { id: "ask-node", type: "text", list: "ask-nodes", value: name, on: { change: choose } }),
			h(
				"datalist",
				{ id: "ask-nodes" },
				[...panel.view.state.nodes.keys()]
					.slice(0, MAX_NAMES)
					.map((option) => h("option", { key: option, value: option })),
			),
		),
		node ? fieldsOf(panel, name, node) : h("p", { key: "none", class: "note" }, t("inspect.nonode")),
	];
}

/**
 * An edit that sets a field of a node; null removes it.
 * @param {string} name @param {(string | number)[]} path @param {any} [value] @returns {Edit}
 */
function ofNode(name, path, value = null) {
	return { type: "set", kind: "Node", name, path, value };
}

/** The groups of fields of a node. @param {Panel} panel @param {string} name @param {NodeState} node */
function fieldsOf(panel, name, { summary }) {
	const removal = /** @type {Edit} */ ({ type: "remove", kind: "Node", name });
	const cordon = ofNode(name, ["spec", "unschedulable"]);
	const cordoned = askedValue(panel.asked, cordon);
	const copies = panel.asked.edits.find((edit) => edit.type === "add-nodes" && edit.like === name);
	const removed = panel.has(removal);
	return [
		group(
			`is-${name}`,
			t("ask.there"),
			toggle("cordon", t("ask.cordon"), cordoned === undefined ? Boolean(summary.unschedulable) : cordoned, (on) =>
				panel.put([{ ...cordon, value: on || null }]),
			),
			toggle("gone", t("ask.gone"), removed, (on) => (on ? panel.put([removal]) : panel.drop([removal]))),
			numberField("more", t("ask.more"), {
				was: 0,
				now: copies?.count,
				least: 0,
				most: MAX_ADDED,
				set: (count) => {
					const edit = /** @type {Edit} */ ({ type: "add-nodes", like: name, count });
					if (count > 0) panel.put([edit]);
					else panel.drop([edit]);
				},
			}),
		),
		group(`has-${name}`, t("ask.allocatable"), allocatableFields(panel, name, summary.allocatable)),
		group(
			`marks-${name}`,
			t("ask.marks"),
			labelsField(panel, name, summary.labels ?? {}),
			taintsField(panel, name, summary.taints ?? []),
		),
	];
}

/**
 * The fields of a node's allocatable resources.
 * @param {Panel} panel @param {string} name @param {Record<string, number>} allocatable
 */
function allocatableFields(panel, name, allocatable) {
	return Object.entries(allocatable).map(([resource, amount]) => {
		const edit = ofNode(name, ["status", "allocatable", resource]);
		const units = fromEngine(resource, amount);
		return quantityField(`${name}-${resource}`, resource, {
			resource,
			was: amountText(resource, units),
			now: askedValue(panel.asked, edit),
			most: units * 2,
			set: (value) => panel.put([{ ...edit, value }]),
		});
	});
}

/** The field of a node's labels. @param {Panel} panel @param {string} name @param {Record<string, string>} was */
function labelsField(panel, name, was) {
	const path = ["metadata", "labels"];
	const names = [...new Set([...Object.keys(was), ...panel.namesBelow("Node", path, name)])];
	const items = names
		.map((key) => {
			const edited = askedValue(panel.asked, ofNode(name, [...path, key]));
			return { key, value: edited === undefined ? was[key] : edited };
		})
		.filter((label) => label.value !== null && label.value !== undefined);
	return listField(`labels-${name}`, {
		label: t("ask.labels"),
		items: items.map(({ key, value }) => ({
			key,
			text: `${key}=${value}`,
			drop: () => {
				const edit = ofNode(name, [...path, key]);
				if (key in was) panel.put([edit]);
				else panel.drop([edit]);
			},
		})),
		hint: "key=value",
		add: (text) => {
			const [key, ...rest] = text.split("=");
			panel.put([ofNode(name, [...path, key.trim()], rest.join("=").trim())]);
		},
	});
}

/** The field of a node's taints. @param {Panel} panel @param {string} name @param {string[][]} was */
function taintsField(panel, name, was) {
	const edit = ofNode(name, ["spec", "taints"]);
	/** @type {import("../../shared/taints.js").Taint[]} */
	const list =
		askedValue(panel.asked, edit) ?? was.map(([key, value, effect]) => ({ key, ...(value ? { value } : {}), effect }));
	return listField(`taints-${name}`, {
		label: t("ask.taints"),
		items: list.map((taint, i) => ({
			key: String(i),
			text: taintText(taint),
			drop: () => panel.put([{ ...edit, value: list.toSpliced(i, 1) }]),
		})),
		hint: "key=value:NoSchedule",
		add: (text) => panel.put([{ ...edit, value: [...list, toTaint(text)] }]),
	});
}

/** The form for the PodDisruptionBudgets, with the fields that they have. @param {Panel} panel @returns {Child} */
export function budgetFields(panel) {
	return panel.about.budgets.map((budget) => {
		const { name, namespace = "default" } = budget.metadata ?? {};
		const fields = [
			["status", "disruptionsAllowed"],
			["spec", "minAvailable"],
			["spec", "maxUnavailable"],
		].filter(([part, field]) => budget[part]?.[field] !== undefined);
		return group(
			`${namespace}/${name}`,
			`${namespace}/${name}`,
			fields.map(([part, field]) => {
				const edit = /** @type {Edit} */ ({
					type: "set",
					kind: "PodDisruptionBudget",
					name,
					namespace,
					path: [part, field],
				});
				const was = budget[part][field];
				const now = askedValue(panel.asked, edit);
				return h(
					"div",
					{ key: field, class: `ask-field ${now !== undefined ? "edited" : ""}` },
					h("label", { for: `ask-${name}-${field}` }, field),
					h("input", {
						id: `ask-${name}-${field}`,
						class: "ask-number",
						type: "text",
						value: String(now ?? was),
						on: {
							change: (/** @type {Event} */ event) => {
								const text = valueOfField(event).trim();
								panel.put([{ ...edit, value: /^\d+$/.test(text) ? Number(text) : text }]);
							},
						},
					}),
				);
			}),
		);
	});
}
