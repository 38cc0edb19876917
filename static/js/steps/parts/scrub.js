// @ts-check
/**
 * A number of the arithmetic that can be dragged in place, with the pointer or the arrow keys. It is evaluated as a
 * what-if (what_if/tried.js), and the stage shows the answer.
 */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { isBytes, nameInKey, short } from "../../shared/units.js";
import { allocatable, request } from "../../trace/room.js";

const PIXELS = 7; // of a drag for one step
const LEAP = 10; // steps, by PageUp and PageDown
const PARTS = 64; // steps of memory and priorities, up to the largest value
const MAX_PRIORITY = 1e9; // that a PriorityClass of users may have
const MAX_SKEW = 10;

/** @typedef {import("../../view").Tried} Tried */

/** The drag under way. @type {{id: string, x: number, from: number} | null} */
let drag = null;
/** The value to which a key has moved a number that is not drawn yet. @type {{id: string, to: number} | null} */
let ahead = null;

/** The value being tried, or else the actual one. @param {View} view @param {Tried} scrub */
export function triedValue({ tried }, scrub) {
	return tried?.values.get(scrub.id) ?? scrub.value;
}

/**
 * The request of the pod on screen as a number that can be dragged.
 * @param {View} view @param {string} resource @param {number} [value] @returns {Tried}
 */
export function requestOf({ state, subject }, resource, value = request(state, subject, resource)) {
	const most = Math.max(2 * value, ...[...state.nodes.values()].map((node) => allocatable(node, resource)));
	return {
		id: `request:${resource}`,
		of: "request",
		name: resource,
		value,
		least: 0,
		most,
		step: resourceStep(resource, most),
		label: t("scrub.request", { pod: nameInKey(subject), resource: short(resource) }),
	};
}

/**
 * The allocatable amount on a node as a number that can be dragged.
 * @param {View} view @param {string} node @param {string} resource @returns {Tried}
 */
export function roomOf({ state }, node, resource) {
	const record = state.nodes.get(node);
	const value = record ? allocatable(record, resource) : 0;
	return {
		id: `room:${node}:${resource}`,
		of: "room",
		name: resource,
		node,
		value,
		least: 0,
		most: Math.max(2 * value, 1),
		step: resourceStep(resource, 2 * value),
		label: t("scrub.room", { node, resource: short(resource) }),
	};
}

/**
 * The weight of a Score plugin as a number that can be dragged.
 * @param {string} plugin @param {number} value @returns {Tried}
 */
export function weightOf(plugin, value) {
	const label = t("scrub.weight", { plugin });
	return { id: `weight:${plugin}`, of: "weight", name: plugin, value, least: 1, most: 100, step: 1, label };
}

/**
 * A number in the pod's manifest as one that can be dragged.
 * @param {View} view @param {"priority" | "skew" | "term"} of
 * @param {string} field "spec.priority", "spec.list[0].weight"
 * @param {{name?: string, value: number, least: number, most: number}} about @returns {Tried}
 */
function inManifest({ subject }, of, field, { name = "", value, least, most }) {
	const path = field.split(/[.[\]]+/).filter(Boolean);
	return {
		id: `${of}:${field}`,
		of,
		name,
		path: path.map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
		value,
		least,
		most: Math.max(most, value),
		step: 1,
		label: t(`scrub.${of}`, { pod: nameInKey(subject), name }),
	};
}

/** The priority of the pod as a number that can be dragged. @param {View} view @returns {Tried} */
export function priorityTried(view) {
	const priorities = [...view.state.pods.values()].map(({ summary }) => summary.priority ?? 0);
	const value = view.state.pods.get(view.subject)?.summary.priority ?? 0;
	const most = Math.min(MAX_PRIORITY, Math.max(10, ...priorities) + 10);
	const about = { value, least: Math.min(0, value), most };
	return { ...inManifest(view, "priority", "spec.priority", about), step: niceStep((most - about.least) / PARTS) };
}

/**
 * The maxSkew of a topology spread constraint as a number that can be dragged.
 * @param {View} view @param {Fact} fact @param {string} field @returns {Tried}
 */
export function skewTried(view, { values = {} }, field) {
	const name = short(String(values.topologyKey ?? ""));
	return inManifest(view, "skew", field, { name, value: Number(values.maxSkew), least: 1, most: MAX_SKEW });
}

/**
 * The weight of a preferred term as a number that can be dragged.
 * @param {View} view @param {string} name @param {string} field @param {number} value @returns {Tried}
 */
export function termTried(view, name, field, value) {
	return inManifest(view, "term", field, { name, value, least: 1, most: 100 });
}

/** The largest of 1, 2, 5, 10, 20, ... that is at most `most`. @param {number} most */
function niceStep(most) {
	const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
	return power * ([5, 2].find((times) => times * power <= most) ?? 1);
}

/** The amount by which one step of a drag changes a resource. @param {string} resource @param {number} most */
function resourceStep(resource, most) {
	if (resource === "cpu") return 100;
	return isBytes(resource) ? Math.max(2 ** 20, 2 ** Math.floor(Math.log2(Math.max(1, most) / PARTS))) : 1;
}

/**
 * A number, which can be dragged unless the page is embedded or a question is open.
 * @param {View} view
 * @param {Tried} scrub
 * @param {(value: number) => string} text
 * @param {string} [key]
 */
export function scrubNumber(view, scrub, text, key = scrub.id) {
	const now = triedValue(view, scrub);
	if (view.boot.embed || view.horizon) return h("span", { key }, text(now));
	if (ahead?.id === scrub.id && ahead.to === now) ahead = null;
	const latest = () => (ahead?.id === scrub.id ? ahead.to : now);
	const move = (/** @type {number} */ to) => {
		const value = Math.min(
			scrub.most,
			Math.max(scrub.least, to === scrub.value ? to : Math.round(to / scrub.step) * scrub.step),
		);
		if (value === latest()) return;
		ahead = { id: scrub.id, to: value };
		view.act.tryNumber({ ...scrub, to: value });
	};
	return h(
		"span",
		{
			key,
			class: `scrub ${now === scrub.value ? "" : "edited"}`,
			role: "slider",
			tabindex: "0",
			title: t("scrub.title"),
			"aria-label": scrub.label,
			"aria-valuemin": String(scrub.least),
			"aria-valuemax": String(scrub.most),
			"aria-valuenow": String(now),
			"aria-valuetext": text(now),
			on: {
				focus: forgetAhead,
				keydown: (/** @type {KeyboardEvent} */ event) => {
					if (event.key === "Escape") forgetAhead(); // and the what-if ends
					const to = steppedTo(event.key, latest(), scrub);
					if (to === null || event.ctrlKey || event.metaKey || event.altKey) return;
					event.preventDefault(); // the player's own keys step through the run
					move(to);
				},
				pointerdown: (/** @type {PointerEvent} */ event) => {
					/** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
					drag = { id: scrub.id, x: event.clientX, from: now };
				},
				pointermove: (/** @type {PointerEvent} */ event) => {
					if (drag?.id !== scrub.id) return;
					const steps = Math.round((event.clientX - drag.x) / PIXELS);
					move(drag.from + steps * scrub.step);
				},
				pointerup: endDrag,
				pointercancel: endDrag,
			},
		},
		text(now),
	);
}

/** Forgets the value to which a key has moved a number. */
function forgetAhead() {
	ahead = null;
}

/** Ends the drag. */
function endDrag() {
	drag = null;
}

/**
 * The value to which a key moves the number, not yet limited to its range; null for other keys.
 * @param {string} key @param {number} now @param {Tried} scrub
 */
function steppedTo(key, now, { step, least, most }) {
	switch (key) {
		case "ArrowUp":
		case "ArrowRight":
			return now + step;
		case "ArrowDown":
		case "ArrowLeft":
			return now - step;
		case "PageUp":
			return now + LEAP * step;
		case "PageDown":
			return now - LEAP * step;
		case "Home":
			return least;
		case "End":
			return most;
	}
	return null;
}
