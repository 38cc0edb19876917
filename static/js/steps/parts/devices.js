// @ts-check
/** Devices wherever they are drawn: a row of chips for each pool, coloured by model, and its counters. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { decimal, podName } from "../../shared/units.js";
import { kindsOf, numberOf, poolsByNode } from "../../trace/devices.js";

/** @typedef {import("../../trace/devices.js").Device} Device */
/** @typedef {import("../../trace/devices.js").Pool} Pool */

const SIGNS = { free: "", partly: "◐", taken: "●" };
const COLOURS = 6; // of the palette; the seventh is for everything else

/** @param {State} state @param {string} kind */
function colourOf(state, kind) {
	const at = kindsOf(state).indexOf(kind);
	const slot = at >= 0 && at < COLOURS ? at : COLOURS;
	return { "--c": `var(--s${slot})`, "--ct": `var(--s${slot}t)` };
}

/** Describe a device, for a tooltip and for a screen reader. @param {Device} device @param {string} [more] */
function deviceTitle({ name, kind, holders, part, taints, model }, more = "") {
	const status = holders.length
		? t(part < 1 ? "device.partly" : "device.taken", { claims: holders.map(podName).join(t("list.comma")) })
		: t("device.free");
	const amounts = Object.entries(model.capacity ?? {}).map(([key, value]) => `${lastOf(key)} ${value}`);
	const tainted = taints.length ? t("device.tainted", { taints: taints.join(t("list.comma")) }) : "";
	return [name, kind, ...amounts, status, tainted, more].filter(Boolean).join(t("list.comma"));
}

/** Without its domain. @param {string} key */
export function lastOf(key) {
	return key.slice(key.lastIndexOf("/") + 1);
}

/**
 * One device. `mark` is what the search makes of it: "now", "chosen", "down".
 * @param {State} state @param {Device} device
 * @param {{mark?: string, wide?: boolean, sign?: string, more?: string}} [how]
 */
export function chip(state, device, { mark = "", wide = false, sign = "", more = "" } = {}) {
	const status = device.holders.length ? (device.part < 1 ? "partly" : "taken") : "free";
	const title = deviceTitle(device, more);
	const memory = Object.entries(device.model.capacity ?? {}).find(([key]) => lastOf(key) === "memory")?.[1];
	return h(
		"span",
		{
			key: device.id,
			class: `device ${status} ${device.taints.length ? "tainted" : ""} ${mark} ${wide ? "wide" : ""}`,
			style: { ...colourOf(state, device.kind), "--part": `${Math.round(device.part * 100)}%` },
			title,
			"data-device": device.id,
		},
		h("i", { "aria-hidden": "true" }, sign || (device.taints.length ? "!" : SIGNS[status])),
		wide && h("b", { "aria-hidden": "true" }, device.name),
		wide && h("small", { "aria-hidden": "true" }, [device.kind, memory].filter(Boolean).join(" ")),
		h("span", { class: "sr" }, title),
	);
}

/** What the devices of a pool share, as a tank that fills. @param {Pool} pool */
export function counterBars({ counters }) {
	return counters.map(({ name, whole, taken, text }) =>
		h(
			"span",
			{ key: name, class: "counter", title: t("device.counter", { name, taken: percent(taken, whole), all: text }) },
			h("em", null, lastOf(name)),
			h("span", { class: "gauge-bar" }, h("i", { style: { width: percent(taken, whole) } })),
			h("b", null, t("device.counter.of", { taken: amountLike(taken, text), all: text })),
		),
	);
}

/** @param {number} taken @param {number} whole */
function percent(taken, whole) {
	return `${whole ? Math.round((100 * taken) / whole) : 0}%`;
}

/** In the unit of the whole. @param {number} taken @param {string} whole "80Gi" */
function amountLike(taken, whole) {
	return decimal(taken / numberOf(`1${whole.replace(/^[\d.]+/, "")}`));
}

const MOST = 16; // chips of a node's card

/** The devices of a node on its card. @param {View} view @param {string} name @param {boolean} dense */
export function deviceRows({ state }, name, dense) {
	const pools = (state.slices.size && poolsByNode(state).get(name)) || [];
	const devices = pools.flatMap((pool) => pool.devices);
	if (!devices.length) return null;
	const taken = devices.filter((device) => device.holders.length).length;
	const count = t("device.count", { taken, n: devices.length });
	if (dense) return h("small", { key: "devices", class: "dense-note" }, count);
	return h(
		"div",
		{ key: "devices", class: "devices" },
		devices.length > MOST
			? h("small", null, count)
			: h(
					"span",
					{ class: "device-row" },
					devices.map((device) => chip(state, device)),
				),
		pools.map(counterBars),
	);
}

/** Which colour is which model. @param {State} state */
export function deviceKey(state) {
	const kinds = kindsOf(state);
	return h(
		"ul",
		{ key: "device-key", class: "device-key" },
		kinds
			.slice(0, COLOURS)
			.map((kind) => h("li", { key: kind }, h("i", { class: "device", style: colourOf(state, kind) }), kind)),
		kinds.length > COLOURS && h("li", { key: "more" }, t("list.more", { n: kinds.length - COLOURS })),
	);
}
