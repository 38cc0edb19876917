// @ts-check
/** Taints as people write them: `key=value:effect`, as for `kubectl taint`. */

/** @typedef {{key: string, value?: string, effect: string}} Taint */

/** A taint as text: "gpu=true:NoSchedule". @param {Taint} taint */
export const taintText = ({ key, value, effect }) => `${key}${value ? `=${value}` : ""}:${effect}`;

/** "gpu=true:NoSchedule" as a taint; one without an effect gets NoSchedule. @param {string} text @returns {Taint} */
export function toTaint(text) {
	const [pair, effect = "NoSchedule"] = text.split(":");
	const [key, value] = pair.split("=");
	return { key: key.trim(), ...(value ? { value: value.trim() } : {}), effect: effect.trim() };
}
