// @ts-check
/** Quantities of manifests as numbers for a slider, and back: cpu in millicores, bytes in MiB. */

const UNITS = { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, m: 1e-3 };
const MIB = 2 ** 20;

/** @param {string} resource */
export function inBytes(resource) {
	return resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-");
}

/**
 * "1500m" of cpu is 1500, "1Gi" of memory 1024; NaN for what is no quantity.
 * @param {string} resource
 * @param {any} text
 */
export function units(resource, text) {
	const found = /^([+-]?[0-9.]+)(m|[kMGT]i?|Ki)?$/.exec(String(text).trim());
	if (!found) return Number.NaN;
	const value = Number(found[1]) * UNITS[/** @type {keyof typeof UNITS} */ (found[2] ?? "")];
	return resource === "cpu" ? Math.round(value * 1000) : inBytes(resource) ? value / MIB : value;
}

/** As a manifest writes it. @param {string} resource @param {number} value */
export function written(resource, value) {
	if (resource === "cpu") return value % 1000 ? `${value}m` : String(value / 1000);
	if (!inBytes(resource)) return String(value);
	return value % 1024 ? `${value}Mi` : `${value / 1024}Gi`;
}

/** The engine's own units, as a slider's. @param {string} resource @param {number} amount */
export function fromEngine(resource, amount) {
	return inBytes(resource) ? amount / MIB : amount;
}
