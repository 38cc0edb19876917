// @ts-check
/** Quantities and times as people read them: 1.5 cpu, 2 GiB, 3.0 s. */

const BINARY = ["", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A number with at most two decimals, without trailing zeros. @param {number} value */
export function decimal(value) {
	return String(Math.round(value * 100) / 100).replace("-", "−");
}

/**
 * An amount of bytes in the largest binary unit that gives at least 1, and the unit.
 * @param {number} bytes @returns {[string, string]} number and unit
 */
function withUnit(bytes) {
	let power = 0;
	let value = bytes;
	while (Math.abs(value) >= 1024 && power < BINARY.length - 1) {
		value /= 1024;
		power += 1;
	}
	return [decimal(value), BINARY[power] || "B"];
}

/** Whether the resource is measured in bytes. @param {string} resource */
export function isBytes(resource) {
	return resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-");
}

/** 1500 millicores as "1.5", bytes as "2 GiB", others as a number. @param {string} resource @param {number} value */
export function amount(resource, value) {
	if (resource === "cpu") return decimal(value / 1000);
	return isBytes(resource) ? withUnit(value).join(" ") : decimal(value);
}

/** Number and unit: "1.5 cpu", "2 GiB", "3 pods". @param {string} resource @param {number} value */
export function quantity(resource, value) {
	return isBytes(resource) ? amount(resource, value) : `${amount(resource, value)} ${short(resource)}`;
}

/**
 * "6.5 of 8", "10 of 16 GiB": both in the unit of the whole; `combine` adds the word between them.
 * @param {string} resource @param {number} part @param {number} whole
 * @param {(part: string, whole: string) => string} combine
 */
export function outOf(resource, part, whole, combine) {
	if (!isBytes(resource)) return combine(amount(resource, part), amount(resource, whole));
	const [number, unit] = withUnit(whole);
	return `${combine(inUnit(resource, part, unit), number)} ${unit}`;
}

/**
 * Amounts in one unit: the largest that shows all of them exactly with two decimals, unless the numbers would be too
 * long.
 * @param {string} resource
 * @param {number[]} values
 * @returns {{texts: string[], unit: string}} `unit` is "" for bare numbers
 */
export function inOneUnit(resource, values) {
	if (!isBytes(resource)) return { texts: values.map((value) => amount(resource, value)), unit: "" };
	let power = Math.max(0, ...values.map((value) => BINARY.indexOf(withUnit(value)[1])));
	while (power && values.some((value) => (value * 100) % 1024 ** power)) power -= 1;
	const readable = values.every((value) => Math.abs(value) < 1e6 * 1024 ** power);
	if (!readable) power = Math.max(...values.map((value) => BINARY.indexOf(withUnit(value)[1])));
	const unit = BINARY[power] || "B";
	return { texts: values.map((value) => inUnit(resource, value, unit)), unit };
}

/**
 * The number without its unit; of bytes, in the given unit.
 * @param {string} resource @param {number} value @param {string} unit
 */
export function inUnit(resource, value, unit) {
	return isBytes(resource) ? decimal(value / 1024 ** Math.max(0, BINARY.indexOf(unit))) : amount(resource, value);
}

/** A resource's name without its domain or "attachable-volumes-". @param {string} resource */
export function short(resource) {
	return resource.replace(/^(.*\/|attachable-volumes-)/, "");
}

/** Virtual seconds with one decimal, or two if needed: "3.0 s"; from 1000 s on, rounded. @param {number} time */
export function seconds(time) {
	return `${time >= 1000 ? Math.round(time) : time.toFixed(Number.isInteger(time * 10) ? 1 : 2)} s`;
}

/**
 * A whole number with separated thousands: 5,000. Creating an Intl.NumberFormat would delay the page by 15 ms.
 * @param {number} value
 */
export function count(value) {
	return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * A name, cut in the middle if it is too long, since the names in a cluster differ at both ends.
 * @param {string} name @param {number} most characters; below 5, nothing is cut
 */
export function cutName(name, most) {
	if (name.length <= most || most < 5) return name;
	const end = Math.ceil((most - 1) / 2);
	return `${name.slice(0, most - 1 - end)}…${name.slice(-end)}`;
}

/** The name in a key "namespace/name", of a pod or another object. @param {string} key */
export function nameInKey(key) {
	return key.slice(key.indexOf("/") + 1);
}

/** The width of a text in letters; a Chinese character counts as two. @param {string} text */
export function widthOf(text) {
	return text.length + (text.match(/[\u2e80-\uffef]/g)?.length ?? 0);
}

const CHARACTER = 4; // letters that are read in the time of a Chinese character

/**
 * The number of letters of a text; a Chinese character counts as several, by the time that reading takes.
 * @param {string} text
 */
export function lettersIn(text) {
	return text.length + (CHARACTER - 1) * (widthOf(text) - text.length);
}

/**
 * Each entry: the least priority, its colour in tokens.css, and its pips; the highest priority first.
 * @type {[number, string, number][]}
 */
const RAMP = [
	[2_000_000_000, "psys", 4], // system-cluster-critical and above
	[1000, "p1000", 4],
	[500, "p500", 3],
	[100, "p100", 2],
	[-Infinity, "p10", 1],
];

/** The names of the colours, that of the highest priority first. */
export const RAMP_COLOURS = RAMP.map(([, colour]) => colour);

/** The entry of RAMP for a priority. @param {number} priority */
function rampEntry(priority) {
	return RAMP.find(([least]) => priority >= least) ?? RAMP[RAMP.length - 1];
}

/** The name of a priority's colour: "p500". @param {number} priority */
export function rampColour(priority) {
	return rampEntry(priority)[1];
}

/** The custom properties with a priority's colour and text colour. @param {number} priority */
export function rampStyle(priority) {
	const colour = rampColour(priority);
	return { "--c": `var(--${colour})`, "--ct": `var(--${colour}t)` };
}

/** The number of marks that show a priority. @param {number} priority @returns {number} 1 to 4 */
export function pips(priority) {
	return rampEntry(priority)[2];
}
