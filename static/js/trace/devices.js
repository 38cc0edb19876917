// @ts-check
/** The devices of the cluster: what they are, who has them, and what is left of what they share. */

/** @typedef {import("./trace").DeviceModel} DeviceModel */
/**
 * @typedef {object} Device
 * @property {string} id "driver/pool/device"
 * @property {string} name
 * @property {string} kind the model that tells devices of one sort from others: "a100"
 * @property {string[]} holders the claims that have it
 * @property {number} part how much of it is taken, from 0 to 1
 * @property {string[]} taints
 * @property {DeviceModel} model
 */
/** @typedef {{name: string, whole: number, taken: number, text: string}} Counter */
/** @typedef {{driver: string, pool: string, devices: Device[], counters: Counter[]}} Pool */

const NAMING = ["productName", "model", "type", "product", "architecture"];
const UNITS = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, k: 1e3, M: 1e6, G: 1e9, T: 1e12, m: 1e-3 };

/** A quantity as a number. @param {string} text */
export function numberOf(text) {
	const [, number = "0", unit = ""] = /^([\d.+-]+(?:e\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
	return Number(number) * (UNITS[/** @type {keyof typeof UNITS} */ (unit)] ?? 1);
}

/** What the device is called by people. @param {string} driver @param {DeviceModel} model */
function kindOf(driver, { attributes = {} }) {
	const named = Object.entries(attributes).map(([key, value]) => [key.slice(key.lastIndexOf("/") + 1), value]);
	for (const name of NAMING) {
		const hit = named.find(([key]) => key === name);
		if (hit) return hit[1];
	}
	return driver.split(".")[0];
}

/** The claims that have each device, by its id. @param {State} state @returns {Map<string, string[]>} */
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
 * How much of a device that can be shared its claims consume.
 * @param {State} state @param {string} id @param {DeviceModel} model
 */
function consumedPart({ claims }, id, { capacity = {} }) {
	/** @type {Map<string, number>} */
	const sums = new Map();
	for (const { devices = [] } of claims.values()) {
		for (const { driver, pool, device, consumed = {} } of devices) {
			if (`${driver}/${pool}/${device}` !== id) continue;
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
	const pools = gather(state);
	cache.set(state.slices, { claims: state.claims, pools });
	return pools;
}

/** @param {State} state */
function gather(state) {
	/** @type {Map<string, Pool[]>} */
	const pools = new Map();
	const holders = state.slices.size ? holdersOf(state) : new Map();
	for (const slice of [...state.slices.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
		const { driver, pool: name, node = "", devices = [], models = [], model = [], counters = {} } = slice;
		if (devices.length && !models.length) continue; // of a cluster that is too large to draw devices
		const own = pools.get(node) ?? pools.set(node, []).get(node) ?? [];
		let pool = own.find((candidate) => candidate.driver === driver && candidate.pool === name);
		if (!pool) {
			pool = { driver, pool: name, devices: [], counters: [] };
			own.push(pool);
		}
		for (const [key, text] of Object.entries(counters))
			pool.counters.push({ name: key, whole: numberOf(text), taken: 0, text });
		devices.forEach((device, i) => {
			const id = `${driver}/${name}/${device}`;
			const what = models[model[i]] ?? {};
			const held = holders.get(id) ?? [];
			const part = held.length ? (what.shareable ? consumedPart(state, id, what) : 1) : 0;
			const { taints = [] } = what;
			pool.devices.push({ id, name: device, kind: kindOf(driver, what), holders: held, part, taints, model: what });
		});
	}
	// the counters of a pool may be in a slice of their own
	for (const own of pools.values()) {
		for (const { devices, counters } of own) {
			for (const { holders: held, model } of devices) {
				if (!held.length) continue;
				for (const [key, text] of Object.entries(model.consumes ?? {})) {
					const counter = counters.find((candidate) => candidate.name === key);
					if (counter) counter.taken += numberOf(text);
				}
			}
		}
	}
	return pools;
}

/** All kinds of devices of the cluster, in order: each has a colour. @param {State} state @returns {string[]} */
export function kindsOf(state) {
	return [
		...new Set([...poolsByNode(state).values()].flatMap((pools) => pools.flatMap((p) => p.devices.map((d) => d.kind)))),
	].sort();
}
