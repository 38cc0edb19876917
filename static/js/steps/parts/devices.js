// @ts-check
/**
 * The devices of the cluster: their models, the claims that have them, and their shared counters. Each pool is a row of
 * chips, coloured by model, with its counters.
 */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { decimal, nameInKey } from "../../shared/units.js";

/** @typedef {import("../../trace/trace").DeviceModel} DeviceModel */
/**
 * @typedef {object} Device
 * @property {string} id "driver/pool/device"
 * @property {string} name
 * @property {string} kind its model: "a100"
 * @property {string[]} holders the claims that have it
 * @property {number} part the consumed share, from 0 to 1
 * @property {string[]} taints
 * @property {DeviceModel} model
 */
/** @typedef {{name: string, whole: number, taken: number, text: string}} Counter */
/** @typedef {{driver: string, pool: string, devices: Device[], counters: Counter[]}} Pool */

const NAMING = ["productName", "model", "type", "product", "architecture"];
const UNITS = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, k: 1e3, M: 1e6, G: 1e9, T: 1e12, m: 1e-3 };

/** A quantity as a number; 0 if it is not one. @param {string} text */
function numberOf(text) {
	const [, number = "0", unit = ""] = /^([\d.+-]+(?:e\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
	return Number(number) * (UNITS[/** @type {keyof typeof UNITS} */ (unit)] ?? 1);
}

/** The model of a device, or else the start of its driver's name. @param {string} driver @param {DeviceModel} model */
function kindOf(driver, { attributes = {} }) {
	const named = Object.entries(attributes).map(([key, value]) => [key.slice(key.lastIndexOf("/") + 1), value]);
	for (const name of NAMING) {
		const hit = named.find(([key]) => key === name);
		if (hit) return hit[1];
	}
	return driver.split(".")[0];
}

/**
 * The claims that have each device, by its id; those with admin access do not count.
 * @param {State} state @returns {Map<string, string[]>}
 */
function holdersOf({ claims }) {
	/** @type {Map<string, string[]>} */
	const holders = new Map();
	for (const { claim, devices = [] } of claims.values()) {
		for (const { driver, pool, device, admin_access } of devices) {
			const id = `${driver}/${pool}/${device}`;
			if (!admin_access) holders.set(id, [...(holders.get(id) ?? []), claim]);
		}
	}
	return holders;
}

/**
 * The consumed share of a device that several claims can share: that of the capacity which is consumed most. Admin
 * access does not count.
 * @param {State} state @param {string} id @param {DeviceModel} model
 */
function consumedPart({ claims }, id, { capacity = {} }) {
	/** @type {Map<string, number>} */
	const sums = new Map();
	for (const { devices = [] } of claims.values()) {
		for (const { driver, pool, device, admin_access, consumed = {} } of devices) {
			if (admin_access || `${driver}/${pool}/${device}` !== id) continue;
			for (const [name, text] of Object.entries(consumed)) sums.set(name, (sums.get(name) ?? 0) + numberOf(text));
		}
	}
	return Math.min(1, Math.max(0, ...[...sums].map(([name, sum]) => sum / (numberOf(capacity[name] ?? "") || 1))));
}

/** @type {WeakMap<Map<string, any>, {claims: Map<string, any>, pools: Map<string, Pool[]>}>} by the state's slices */
const cache = new WeakMap();

/** The pools by node; "" has those that several nodes share. @param {State} state @returns {Map<string, Pool[]>} */
export function poolsByNode(state) {
	const before = cache.get(state.slices);
	if (before?.claims === state.claims) return before.pools;
	const pools = collectPools(state);
	cache.set(state.slices, { claims: state.claims, pools });
	return pools;
}

/** The pools of devices by node; none in a cluster that is too large to draw them. @param {State} state */
function collectPools(state) {
	/** @type {Map<string, Pool[]>} */
	const pools = new Map();
	const holders = state.slices.size ? holdersOf(state) : new Map();
	for (const slice of [...state.slices.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
		const { driver, pool: name, node = "", devices = [], models = [], model = [], counters = {} } = slice;
		if (devices.length && !models.length) continue; // the cluster is too large to draw devices
		const onNode = pools.get(node) ?? pools.set(node, []).get(node) ?? [];
		let pool = onNode.find((candidate) => candidate.driver === driver && candidate.pool === name);
		if (!pool) {
			pool = { driver, pool: name, devices: [], counters: [] };
			onNode.push(pool);
		}
		for (const [key, text] of Object.entries(counters))
			pool.counters.push({ name: key, whole: numberOf(text), taken: 0, text });
		devices.forEach((device, i) => {
			const id = `${driver}/${name}/${device}`;
			const own = models[model[i]] ?? {};
			const held = holders.get(id) ?? [];
			const part = held.length ? (own.shareable ? consumedPart(state, id, own) : 1) : 0;
			const { taints = [] } = own;
			pool.devices.push({ id, name: device, kind: kindOf(driver, own), holders: held, part, taints, model: own });
		});
	}
	// after all slices: the counters of a pool may be in one of their own
	for (const pool of [...pools.values()].flat()) addTaken(pool);
	return pools;
}

/** Adds what the devices that are held consume to the pool's counters. @param {Pool} pool */
function addTaken({ devices, counters }) {
	for (const { holders, model } of devices) {
		if (!holders.length) continue;
		for (const [key, text] of Object.entries(model.consumes ?? {})) {
			const counter = counters.find((candidate) => candidate.name === key);
			if (counter) counter.taken += numberOf(text);
		}
	}
}

/** The kinds of devices in the cluster, sorted by name: each has a colour. @param {State} state @returns {string[]} */
function kindsOf(state) {
	return [
		...new Set([...poolsByNode(state).values()].flat().flatMap(({ devices }) => devices.map(({ kind }) => kind))),
	].sort();
}

const SIGNS = { free: "", partly: "◐", taken: "●" };
const COLOURS = 6; // the seventh colour is for all other kinds

/** The custom properties with the colours of a device model. @param {State} state @param {string} kind */
function colourOf(state, kind) {
	const at = kindsOf(state).indexOf(kind);
	const slot = at >= 0 && at < COLOURS ? at : COLOURS;
	return { "--c": `var(--s${slot})`, "--ct": `var(--s${slot}t)` };
}

/** Describes a device, for a tooltip and for a screen reader. @param {Device} device @param {string} [more] */
function deviceTitle({ name, kind, holders, part, taints, model }, more = "") {
	const status = holders.length
		? t(part < 1 ? "device.partly" : "device.taken", { claims: holders.map(nameInKey).join(t("list.comma")) })
		: t("device.free");
	const amounts = Object.entries(model.capacity ?? {}).map(([key, value]) => `${withoutDomain(key)} ${value}`);
	const tainted = taints.length ? t("device.tainted", { taints: taints.join(t("list.comma")) }) : "";
	return [name, kind, ...amounts, status, tainted, more].filter(Boolean).join(t("list.comma"));
}

/** A qualified name without its domain. @param {string} key */
export function withoutDomain(key) {
	return key.slice(key.lastIndexOf("/") + 1);
}

/**
 * One device. `mark` has the classes of its state in the search: "now", "chosen", "down".
 * @param {State} state @param {Device} device
 * @param {{mark?: string, wide?: boolean, sign?: string, more?: string}} [how]
 */
export function chip(state, device, { mark = "", wide = false, sign = "", more = "" } = {}) {
	const status = device.holders.length ? (device.part < 1 ? "partly" : "taken") : "free";
	const title = deviceTitle(device, more);
	const memory = Object.entries(device.model.capacity ?? {}).find(([key]) => withoutDomain(key) === "memory")?.[1];
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
		wide && h("small", { "aria-hidden": "true" }, joinOnce([device.kind, memory, ...distinctions(state)(device)])),
		h("span", { class: "sr" }, title),
	);
}

/** Joins the words, each once. @param {(string | undefined)[]} words */
function joinOnce(words) {
	return [...new Set(words)].filter(Boolean).join(" ");
}

/**
 * Returns a function that gives a device's values of the attributes in which the cluster's devices differ, without
 * those that are different on each, such as a serial number.
 * @param {State} state @returns {(device: Device) => string[]}
 */
function distinctions(state) {
	const all = [...poolsByNode(state).values()]
		.flatMap((own) => own.flatMap((pool) => pool.devices))
		.map(({ model }) => model.attributes ?? {});
	const differs = (/** @type {string} */ key) => {
		const values = new Set(all.map((attributes) => attributes[key]));
		return values.size > 1 && values.size < all.length;
	};
	return ({ model }) => Object.entries(model.attributes ?? {}).flatMap(([key, value]) => (differs(key) ? [value] : []));
}

/** The counters that the devices of a pool share, each as a bar with the consumed amount. @param {Pool} pool */
export function counterBars({ counters }) {
	return counters.map(({ name, whole, taken, text }) =>
		h(
			"span",
			{ key: name, class: "counter", title: t("device.counter", { name, taken: percent(taken, whole), all: text }) },
			h("em", null, withoutDomain(name)),
			h("span", { class: "gauge-bar" }, h("i", { style: { width: percent(taken, whole) } })),
			h("b", null, t("device.counter.of", { taken: inUnitOf(taken, text), all: text })),
		),
	);
}

/** A part of a whole in percent. @param {number} taken @param {number} whole */
function percent(taken, whole) {
	return `${whole ? Math.round((100 * taken) / whole) : 0}%`;
}

/** The amount in the unit of the whole, without the unit. @param {number} taken @param {string} whole "80Gi" */
function inUnitOf(taken, whole) {
	return decimal(taken / numberOf(`1${whole.replace(/^[\d.]+/, "")}`));
}

const MOST = 16; // chips of a node's card

/**
 * The devices of a node on its card; null if it has none.
 * @param {View} view @param {string} name @param {boolean} dense
 */
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

const FEW = 6; // chips of a lane

/**
 * The devices of a node that waits for Filter, with the attributes in which they differ; null for more than FEW.
 * @param {State} state @param {string} name
 */
export function deviceChips(state, name) {
	const devices = (poolsByNode(state).get(name) ?? []).flatMap((pool) => pool.devices);
	if (devices.length > FEW) return null;
	const distinct = distinctions(state);
	return devices.map((device) =>
		h(
			"span",
			{ key: device.id, class: "device named", title: deviceTitle(device) },
			joinOnce([device.name, ...distinct(device)]),
		),
	);
}

/** The legend: the colour of each device model. @param {State} state */
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
