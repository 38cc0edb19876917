// @ts-check
/**
 * The texts of a page: a JSON catalogue per language. `{name}` is filled in. `{n|node|nodes}` chooses by number, with a
 * form for each plural category of the language, in the order of CATEGORIES. `{n|=1:it|them}` has one for exactly 1.
 */

const CATEGORIES = ["zero", "one", "two", "few", "many", "other"];
/** A Latin letter or digit beside a Chinese character. */
const MEETING = /^([a-z\d][\u4e00-\u9fff]|[\u4e00-\u9fff][a-z\d])/i;

/** The texts as loaded, and as they are for the shown release. @type {Record<string, string>} */
let loaded = {};
/** @type {Record<string, string>} */
let catalogue = {};
let plural = new Intl.PluralRules("en");
let chinese = false;
/** The categories that the language has. */
let categories = ["one", "other"];

/** Makes these the texts of the page. @param {Record<string, string>} texts with their `language` */
export function useCatalogue(texts) {
	loaded = catalogue = texts;
	plural = new Intl.PluralRules(texts.language);
	chinese = texts.language.startsWith("zh");
	const available = new Set(/** @type {string[]} */ (plural.resolvedOptions().pluralCategories));
	categories = CATEGORIES.filter((category) => available.has(category));
}

/** Names that changed after the releases that have their own texts. @type {[RegExp, string][]} */
const RENAMED = [
	[/\bunschedulablePods\b/g, "unschedulableQ"],
	[/\bbackoffQ\b/g, "podBackoffQ"],
];
/** A text with "@16" after its key replaces the key's text up to Kubernetes 1.16; the oldest release comes first. */
const LAST_MINORS = [15, 16, 18];

/**
 * Uses the terms of a release: up to 1.16 it has predicates and priorities, up to 1.18 its queues have other names.
 * @param {string} [release]
 */
export function speakAsIn(release = "") {
	const minor = Number(release.split(".")[1] ?? Number.POSITIVE_INFINITY);
	const lasts = LAST_MINORS.filter((last) => minor <= last);
	catalogue = loaded;
	if (!lasts.length) return;
	const textOf = (/** @type {string} */ key) =>
		lasts.map((last) => loaded[`${key}@${last}`]).find((own) => own !== undefined) ?? loaded[key];
	const inFormerNames = (/** @type {string} */ text) =>
		RENAMED.reduce((words, [name, former]) => words.replace(name, former), text);
	catalogue = Object.fromEntries(Object.keys(loaded).map((key) => [key, inFormerNames(textOf(key))]));
}

/**
 * The form for a number: the one for exactly this number, otherwise that of its category, otherwise the last.
 * @param {string[]} forms @param {number} n
 */
function pluralForm(forms, n) {
	const exact = forms.find((form) => form.startsWith(`=${n}:`));
	if (exact !== undefined) return exact.slice(exact.indexOf(":") + 1);
	const others = forms.filter((form) => !/^=\d+:/.test(form));
	return others[categories.indexOf(plural.select(n))] ?? others[others.length - 1];
}

/**
 * Fetches the texts of the page's language, and uses them. Throws an Error if the server has none.
 * @param {string} url @param {Record<string, string>} [more] texts of plugins from other packages
 */
export async function loadCatalogue(url, more) {
	const answer = await fetch(url);
	if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
	useCatalogue({ ...(await answer.json()), ...more });
}

/** Whether there is a text for a key. @param {string} key */
export function has(key) {
	return key in catalogue;
}

/** Whether there is a text whose key has this prefix. @param {string} prefix */
export function hasAny(prefix) {
	return Object.keys(catalogue).some((key) => key.startsWith(prefix));
}

/**
 * A text as parts: strings and marks; the key itself if it has no text.
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
		const [name, ...forms] = piece.slice(1, -1).split("|");
		const value = values[name];
		if (forms.length) out.push(pluralForm(forms, numberIn(value)));
		else if (Array.isArray(value)) out.push(...value);
		else if (value !== undefined) out.push(typeof value === "number" ? String(value) : value);
	}
	return chinese ? spaced(out) : out;
}

/**
 * Parts in Chinese, with a space where a value in Latin letters or digits meets a Chinese character. A text cannot have
 * it where the value can be in either script.
 * @param {Part[]} out @returns {Part[]}
 */
function spaced(out) {
	return out.flatMap((part, i) =>
		i && MEETING.test(plain(out.slice(i - 1, i)).slice(-1) + plain([part])) ? [" ", part] : [part],
	);
}

/**
 * The number in a text such as "1,200" or "1.5 cpu"; 0 if there is none.
 * @param {Part | Part[] | number | undefined} value
 */
function numberIn(value) {
	const text = typeof value === "object" && !Array.isArray(value) ? value.text : String(value);
	return Number(text.replace(/[^\d.-]/g, ""));
}

/** A text without marks. @param {string} key @param {Record<string, Part | Part[] | number>} [values] */
export function t(key, values) {
	return plain(parts(key, values));
}

/** The text of a list of words and marks. @param {Part[]} list */
export function plain(list) {
	return list.map((part) => (typeof part === "string" ? part : part.text)).join("");
}

/**
 * A number, which can be clicked if `ref` refers to its explanation.
 * @param {string | number} text @param {string} [ref] @returns {Mark}
 */
export function num(text, ref) {
	return { text: String(text), kind: "num", ref };
}

/**
 * Names with commas, and "and" before the last; of more than `most`, the first `most - 1` and the number of the others.
 * @param {Part[]} names @param {number} [most] @returns {Part[]}
 */
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
