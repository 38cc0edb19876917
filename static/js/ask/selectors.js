// @ts-check
/** Selectors as `kubectl -l` writes them, and back: "app=web, tier in (a, b), !legacy, cores>4". */

/** @typedef {{key: string, operator: string, values?: string[]}} Requirement */
/** @typedef {{matchLabels?: Record<string, string>, matchExpressions?: Requirement[]}} Selector */

const SIGNS = { Gt: ">", Lt: "<" };
const PART = /\s*(?:,|$)\s*/y;
const KEY = "[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?";
/** @type {[RegExp, (found: RegExpExecArray) => Requirement][]} */
const FORMS = [
	[
		new RegExp(`(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)`, "y"),
		([, key, word, values]) => ({ key, operator: word === "in" ? "In" : "NotIn", values: parted(values) }),
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

/** @param {Selector | null | undefined} selector */
export function selectorText(selector) {
	const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
	return [...labels, ...(selector?.matchExpressions ?? []).map(requirementText)].join(", ");
}

/** @param {Requirement} one */
function requirementText({ key, operator, values = [] }) {
	if (operator === "Exists") return key;
	if (operator === "DoesNotExist") return `!${key}`;
	if (operator === "In" || operator === "NotIn")
		return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(", ")})`;
	return `${key}${SIGNS[/** @type {"Gt" | "Lt"} */ (operator)]}${values[0]}`;
}

/** Null for what is no selector. @param {string} text @returns {Selector | null} */
export function selectorOf(text) {
	const found = requirements(text);
	if (!found) return null;
	const labels = Object.fromEntries(
		found.filter((one) => one.operator === "=").map(({ key, values = [""] }) => [key, values[0]]),
	);
	const others = found.filter((one) => one.operator !== "=");
	return {
		...(Object.keys(labels).length ? { matchLabels: labels } : {}),
		...(others.length ? { matchExpressions: others } : {}),
	};
}

/** For a node's labels, where there are expressions only. @param {string} text @returns {Requirement[] | null} */
export function requirementsOf(text) {
	return (
		requirements(text)?.map(({ key, operator, values }) => ({
			key,
			operator: operator === "=" ? "In" : operator,
			...(values ? { values } : {}),
		})) ?? null
	);
}

/** @param {string} text @returns {Requirement[] | null} */
function requirements(text) {
	const [source, found] = [text.trim(), /** @type {Requirement[]} */ ([])];
	for (let at = 0; at < source.length; ) {
		const hit = FORMS.map(([form, made]) => [matched(form, source, at), made]).find(([match]) => match);
		if (!hit) return null;
		const [match, made] = /** @type {[RegExpExecArray, (found: RegExpExecArray) => Requirement]} */ (hit);
		const end = matched(PART, source, at + match[0].length);
		if (!end) return null;
		found.push(made(match));
		at += match[0].length + end[0].length;
	}
	return found;
}

/** @param {RegExp} form @param {string} source @param {number} at */
function matched(form, source, at) {
	form.lastIndex = at;
	return form.exec(source);
}

/** @param {string} text */
function parted(text) {
	return text
		.split(",")
		.map((one) => one.trim())
		.filter(Boolean);
}
