// @ts-check
/**
 * The player's texts: one JSON catalogue per language. `{name}` is filled in, `{n|node|nodes}` chooses by number.
 */

/** @type {Record<string, string>} */
let catalogue = {};

/** @param {Record<string, string>} texts */
export function useCatalogue(texts) {
	catalogue = texts;
}

/** @param {string} url */
export async function loadCatalogue(url) {
	const answer = await fetch(url);
	if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
	useCatalogue(await answer.json());
}

/** @param {string} key */
export function has(key) {
	return key in catalogue;
}

/**
 * A text as parts: strings and marks.
 * @param {string} key @param {Record<string, Part | Part[] | number>} [values] @returns {Part[]}
 */
export function parts(key, values = {}) {
	const template = catalogue[key];
	if (template === undefined) return [key];
	/** @type {Part[]} */
	const out = [];
	for (const piece of template.split(/(\{[^{}]*\})/)) {
		if (!piece.startsWith("{")) {
			if (piece) out.push(piece);
			continue;
		}
		const [name, one, many] = piece.slice(1, -1).split("|");
		const value = values[name];
		if (one !== undefined) out.push(number(value) === 1 ? one : (many ?? one));
		else if (Array.isArray(value)) out.push(...value);
		else if (value !== undefined) out.push(typeof value === "number" ? String(value) : value);
	}
	return out;
}

/** @param {Part | Part[] | number | undefined} value */
function number(value) {
	const text = typeof value === "object" && !Array.isArray(value) ? value.text : String(value);
	return Number(text.replace(/[^\d.-]/g, ""));
}

/** A text without marks. @param {string} key @param {Record<string, Part | Part[] | number>} [values] */
export function t(key, values) {
	return plain(parts(key, values));
}

/** @param {Part[]} list */
export function plain(list) {
	return list.map((part) => (typeof part === "string" ? part : part.text)).join("");
}

/**
 * A number that can be pointed at; `ref` names where it comes from.
 * @param {string | number} text @param {string} [ref] @returns {Mark}
 */
export function num(text, ref) {
	return { text: String(text), kind: "num", ref };
}

/** Names, comma apart, "and" before the last. @param {Part[]} names @param {number} [most] @returns {Part[]} */
export function list(names, most = 4) {
	if (names.length > most) {
		return [
			...names.slice(0, most - 1).flatMap((name, i) => (i ? [t("list.comma"), name] : [name])),
			t("list.and.more"),
			t("list.more", { n: names.length - most + 1 }),
		];
	}
	/** @type {Part[]} */
	const out = [];
	names.forEach((name, i) => {
		if (i) out.push(i === names.length - 1 ? t("list.and") : t("list.comma"));
		out.push(name);
	});
	return out;
}
