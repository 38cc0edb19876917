// @ts-check
/** A pod's topology spread constraints, affinity and anti-affinity terms. */

import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { currentList, listEdits, podEdit } from "../edits.js";
import { choiceField, group, numberField, termBox, textField } from "./parts.js";

/** @typedef {import("../panel.js").Panel} Panel */
/**
 * @typedef {object} Place a list of terms in a pod's affinity
 * @property {string} kind
 * @property {"required" | "preferred"} strength
 * @property {string[]} path
 * @property {(item: any) => any} term
 * @property {(term: any, item?: any) => any} wrap makes an item from a term
 */

const [REQUIRED, PREFERRED] = ["required", "preferred"].map(
	(strength) => `${strength}DuringSchedulingIgnoredDuringExecution`,
);
const HOSTNAME = "kubernetes.io/hostname";
const ZONE = "topology.kubernetes.io/zone";
const WHEN = ["DoNotSchedule", "ScheduleAnyway"];
const NODES = "nodeAffinity";

/** All lists of terms in a pod's affinity. @type {Place[]} */
const PLACES = [NODES, "podAffinity", "podAntiAffinity"].flatMap((kind) => {
	const inside = kind === NODES ? "preference" : "podAffinityTerm";
	const path = ["spec", "affinity", kind];
	return [
		{
			kind,
			strength: "required",
			path: [...path, REQUIRED, ...(kind === NODES ? ["nodeSelectorTerms"] : [])],
			term: (/** @type {any} */ term) => term,
			wrap: (/** @type {any} */ term) => term,
		},
		{
			kind,
			strength: "preferred",
			path: [...path, PREFERRED],
			term: (/** @type {any} */ term) => term[inside] ?? {},
			wrap: (/** @type {any} */ term, /** @type {any} */ item = { weight: 50 }) => ({ ...item, [inside]: term }),
		},
	];
});

/** The form for the topology spread constraints of the pod. @param {Panel} panel */
export function spreadFields(panel) {
	const path = ["spec", "topologySpreadConstraints"];
	const { now, change } = listOf(panel, path);
	const fresh = () => ({
		maxSkew: 1,
		topologyKey: commonKey(panel),
		whenUnsatisfiable: WHEN[0],
		labelSelector: ownSelector(panel),
	});
	return group(
		"spread",
		t("ask.spread"),
		now.map((constraint, i) => {
			const put = (/** @type {any} */ fields) => change(now.with(i, { ...constraint, ...fields }));
			return termBox(`spread-${i}`, constraint.topologyKey, () => change(now.toSpliced(i, 1)), [
				topologyField(panel, `spread-${i}`, constraint.topologyKey, (topologyKey) => put({ topologyKey })),
				numberField(`skew-${i}`, "maxSkew", {
					was: constraint.maxSkew ?? 1,
					now: undefined,
					least: 1,
					most: 10,
					set: (maxSkew) => put({ maxSkew }),
				}),
				choiceField(
					`when-${i}`,
					"whenUnsatisfiable",
					constraint.whenUnsatisfiable ?? WHEN[0],
					WHEN,
					(whenUnsatisfiable) => put({ whenUnsatisfiable }),
				),
				selectorField(panel, `counts-${i}`, "labelSelector", constraint.labelSelector, (labelSelector) =>
					put({ labelSelector }),
				),
			]);
		}),
		button(() => change([...now, fresh()]), { key: "more", class: "button" }, t("ask.spread.add")),
	);
}

/** The form for the affinity and anti-affinity terms of the pod. @param {Panel} panel */
export function affinityFields(panel) {
	return group(
		"affinity",
		t("ask.affinity"),
		PLACES.map((place) => termBoxes(panel, place)),
		h(
			"form",
			{ key: "more", class: "ask-add", on: { submit: (/** @type {SubmitEvent} */ event) => addTerm(panel, event) } },
			h(
				"select",
				{ "aria-label": t("ask.affinity.kind") },
				PLACES.map(({ kind, strength }, i) =>
					h("option", { key: i, value: i }, t(`ask.affinity.${strength}`, { kind })),
				),
			),
			h("button", { class: "button" }, t("ask.add")),
		),
	);
}

/** Adds a term of the kind that the form names. @param {Panel} panel @param {SubmitEvent} event */
function addTerm(panel, event) {
	event.preventDefault();
	const form = /** @type {HTMLFormElement} */ (event.target);
	const place = PLACES[Number(/** @type {HTMLSelectElement} */ (form.elements.item(0)).value)];
	const { now, change } = listOf(panel, place.path);
	const term =
		place.kind === NODES
			? { matchExpressions: [{ key: commonKey(panel), operator: "Exists" }] }
			: { topologyKey: HOSTNAME, labelSelector: ownSelector(panel) };
	change([...now, place.wrap(term)]);
}

/** The boxes of a list of terms. @param {Panel} panel @param {Place} place */
function termBoxes(panel, place) {
	const { kind, strength, path, term, wrap } = place;
	const { now, change } = listOf(panel, path, kind === NODES ? path.slice(0, 4) : path);
	return now.map((entry, i) => {
		const [key, here] = [`${kind}-${strength}-${i}`, term(entry)];
		const set = (/** @type {any} */ fields) => change(now.with(i, wrap({ ...here, ...fields }, entry)));
		return termBox(key, t(`ask.affinity.${strength}`, { kind }), () => change(now.toSpliced(i, 1)), [
			kind === NODES
				? textField(`${key}-labels`, "matchExpressions", {
						value: selectorText(here),
						put: (text) => {
							const requirements = requirementsOf(text);
							if (requirements?.length) set({ matchExpressions: requirements });
							return Boolean(requirements?.length);
						},
					})
				: [
						topologyField(panel, key, here.topologyKey ?? "", (topologyKey) => set({ topologyKey })),
						selectorField(panel, `${key}-pods`, "labelSelector", here.labelSelector, (labelSelector) =>
							set({ labelSelector }),
						),
					],
			strength === "preferred" &&
				numberField(`${key}-weight`, "weight", {
					was: entry.weight ?? 1,
					now: undefined,
					least: 1,
					most: 100,
					set: (weight) => change(now.with(i, { ...entry, weight })),
				}),
		]);
	});
}

/**
 * A list of the pod with the question's edits, and a function that replaces it.
 * @param {Panel} panel
 * @param {string[]} path
 * @param {string[]} [emptied] the field that is removed with the last item
 */
function listOf(panel, path, emptied = path) {
	const was = /** @type {any[]} */ (path.reduce((here, part) => here?.[part], panel.about.manifest)) ?? [];
	const edit = podEdit(panel.about.pod, path);
	const now = currentList(panel.asked, edit, was);
	const change = (/** @type {any[]} */ list) => {
		const edits = listEdits(panel.asked, edit, { was, now: list, empty: podEdit(panel.about.pod, emptied) });
		panel.apply({ type: "put", ...edits });
	};
	return { now, change };
}

/**
 * The field of a topology key, which may not be empty.
 * @param {Panel} panel @param {string} key @param {string} value @param {(text: string) => void} set
 */
function topologyField(panel, key, value, set) {
	return textField(`${key}-topology`, "topologyKey", {
		value,
		options: nodeKeys(panel),
		put: (text) => {
			if (text) set(text);
			return Boolean(text);
		},
	});
}

/**
 * The field of a label selector.
 * @param {Panel} panel
 * @param {string} key
 * @param {string} label
 * @param {any} selector
 * @param {(selector: any) => void} set
 */
function selectorField(panel, key, label, selector, set) {
	const { labels = {} } = panel.about.manifest.metadata ?? {};
	return textField(key, label, {
		value: selectorText(selector),
		options: Object.entries(labels).map(([name, value]) => `${name}=${value}`),
		put: (text) => {
			const parsed = selectorOf(text);
			if (parsed) set(parsed);
			return parsed !== null;
		},
	});
}

const MAX_KEYS = 40;

/** The keys of the nodes' labels, at most MAX_KEYS. @param {Panel} panel */
function nodeKeys(panel) {
	const keys = [...panel.view.state.nodes.values()].flatMap((node) => Object.keys(node.summary.labels ?? {}));
	return [...new Set([HOSTNAME, ...keys])].slice(0, MAX_KEYS);
}

/** The topology key of zones if nodes have it, otherwise that of host names. @param {Panel} panel */
export function commonKey(panel) {
	return [...panel.view.state.nodes.values()].some((node) => ZONE in (node.summary.labels ?? {})) ? ZONE : HOSTNAME;
}

/** A label selector that matches the pod's own labels. @param {Panel} panel */
function ownSelector(panel) {
	return { matchLabels: panel.about.manifest.metadata?.labels ?? {} };
}

/** @typedef {{key: string, operator: string, values?: string[]}} Requirement */
/** @typedef {{matchLabels?: Record<string, string>, matchExpressions?: Requirement[]}} Selector */

const SIGNS = { Gt: ">", Lt: "<" };
const PART = /\s*(?:,|$)\s*/y;
const KEY = "[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?";
/** @type {[RegExp, (match: RegExpExecArray) => Requirement][]} */
const FORMS = [
	[
		new RegExp(`(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)`, "y"),
		([, key, word, values]) => ({ key, operator: word === "in" ? "In" : "NotIn", values: splitList(values) }),
	],
	[
		new RegExp(`(${KEY})\\s*!=\\s*([^\\s,()]*)`, "y"),
		([, key, value]) => ({ key, operator: "NotIn", values: [value] }),
	],
	[new RegExp(`(${KEY})\\s*==?\\s*([^\\s,()=]*)`, "y"), ([, key, value]) => ({ key, operator: "=", values: [value] })],
	[
		new RegExp(`(${KEY})\\s*([<>])\\s*(-?\\d+)`, "y"),
		([, key, sign, value]) => ({ key, operator: sign === ">" ? "Gt" : "Lt", values: [value] }),
	],
	[new RegExp(`!\\s*(${KEY})`, "y"), ([, key]) => ({ key, operator: "DoesNotExist" })],
	[new RegExp(`(${KEY})`, "y"), ([, key]) => ({ key, operator: "Exists" })],
];

/** A label selector as kubectl writes it; "" for an empty one. @param {Selector | null | undefined} selector */
export function selectorText(selector) {
	const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
	return [...labels, ...(selector?.matchExpressions ?? []).map(requirementText)].join(", ");
}

/** A requirement as kubectl writes it: "zone in (a, b)". @param {Requirement} requirement */
function requirementText({ key, operator, values = [] }) {
	if (operator === "Exists") return key;
	if (operator === "DoesNotExist") return `!${key}`;
	if (operator === "In" || operator === "NotIn")
		return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(", ")})`;
	return `${key}${SIGNS[/** @type {"Gt" | "Lt"} */ (operator)]}${values[0]}`;
}

/** Parses a selector; null if the text is not one. @param {string} text @returns {Selector | null} */
export function selectorOf(text) {
	const parsed = parseRequirements(text);
	if (!parsed) return null;
	const labels = Object.fromEntries(
		parsed.filter((requirement) => requirement.operator === "=").map(({ key, values = [""] }) => [key, values[0]]),
	);
	const others = parsed.filter((requirement) => requirement.operator !== "=");
	return {
		...(Object.keys(labels).length ? { matchLabels: labels } : {}),
		...(others.length ? { matchExpressions: others } : {}),
	};
}

/**
 * Parses requirements on a node's labels, where only expressions are allowed; null if the text is invalid.
 * @param {string} text @returns {Requirement[] | null}
 */
export function requirementsOf(text) {
	return (
		parseRequirements(text)?.map(({ key, operator, values }) => ({
			key,
			operator: operator === "=" ? "In" : operator,
			...(values ? { values } : {}),
		})) ?? null
	);
}

/**
 * Parses a comma-separated list of requirements; null if the text is invalid.
 * @param {string} text @returns {Requirement[] | null}
 */
function parseRequirements(text) {
	const source = text.trim();
	/** @type {Requirement[]} */
	const requirements = [];
	for (let at = 0; at < source.length; ) {
		const parsed = FORMS.map(([form, make]) => [matchAt(form, source, at), make]).find(([match]) => match);
		if (!parsed) return null;
		const [match, make] = /** @type {[RegExpExecArray, (match: RegExpExecArray) => Requirement]} */ (parsed);
		const end = matchAt(PART, source, at + match[0].length);
		if (!end) return null;
		requirements.push(make(match));
		at += match[0].length + end[0].length;
	}
	return requirements;
}

/**
 * The match of a pattern at a position; null if it does not match there.
 * @param {RegExp} form @param {string} source @param {number} at
 */
function matchAt(form, source, at) {
	form.lastIndex = at;
	return form.exec(source);
}

/** The words of a comma-separated list. @param {string} text */
function splitList(text) {
	return text
		.split(",")
		.map((part) => part.trim())
		.filter(Boolean);
}
