// @ts-check
/** Field names and values to choose from, for the kinds that the engine reads; the lists come from its own parser. */

/**
 * The fields that the engine's parser reads, by type name; see `scheduler_core.scenario.catalogue.field_catalogue`.
 * @typedef {{type: string, values?: string[], hint?: string, list?: boolean, map?: boolean,
 *   keys?: Record<string, string>}} Field
 * @typedef {{kinds: {apiVersion: string, kind: string, type: string}[], types: Record<string, Record<string, Field>>,
 *   plugins: Record<string, string[]>}} Catalogue
 */

const KEY = /^(\s*)((?:- +)*)("?[\w./-]+"?):(?:\s|$)/;

/**
 * The keys that contain the cursor (list items do not count), the key whose value is being typed, null if none is, and
 * the word so far. `text` is the document up to the cursor.
 * @param {string} text @returns {{path: string[], value: string | null, word: string}}
 */
export function placeOf(text) {
	const lines = text.split("\n");
	const line = lines.pop() ?? "";
	/** @type {{indent: number, key: string}[]} */
	const open = [];
	const push = (/** @type {string} */ text) => {
		const match = KEY.exec(text);
		if (!text.trim() || text.trim().startsWith("#")) return;
		const indent = match ? match[1].length + match[2].length : text.length - text.trimStart().length;
		while (open.length && open[open.length - 1].indent >= indent) open.pop();
		if (match) open.push({ indent, key: match[3].replaceAll('"', "") });
	};
	lines.forEach(push);
	const start = line.length - line.replace(/^\s*(- +)*/, "").length;
	while (open.length && open[open.length - 1].indent >= start) open.pop();
	const path = open.map(({ key }) => key);
	return placeInFlow(line.slice(start), path);
}

/**
 * The place at the end of a line in flow style, below the keys `outer`; see `placeOf`.
 * @param {string} line
 * @param {string[]} outer
 */
function placeInFlow(line, outer) {
	/** @type {(string | null)[]} */
	const keys = [null];
	let word = "";
	let value = false;
	for (const char of line) {
		if (char === "{" || char === "[") keys.push(null);
		else if (char === "}" || char === "]") keys.pop();
		else if (char === ":") keys[keys.length - 1] = word.trim();
		else if (char === ",") keys[keys.length - 1] = null;
		else {
			word += char;
			continue;
		}
		value = char === ":";
		word = "";
	}
	const own = keys.filter((key) => key !== null && key !== undefined);
	const last = value ? /** @type {string} */ (own.pop()) : null;
	return { path: [...outer, ...own], value: last, word: word.trim().replace(/^"/, "") };
}

/**
 * The fields of the type at a path; undefined if there are none, or for a map, whose keys are free.
 * @param {Catalogue} catalogue
 * @param {string} type
 * @param {string[]} path
 */
function fieldsAt(catalogue, type, path) {
	let at = type;
	let free = false; // the next key is a map's own
	for (const key of path) {
		if (free) {
			free = false;
			continue;
		}
		const field = catalogue.types[at]?.[key];
		if (!field) return undefined;
		at = field.type;
		free = Boolean(field.map);
	}
	return free ? undefined : catalogue.types[at];
}

/**
 * CodeMirror's source of completions for the scenario format.
 * @param {Catalogue} catalogue
 */
export function completions(catalogue) {
	return (/** @type {any} */ context) => {
		const before = context.state.sliceDoc(0, context.pos);
		const start = Math.max(before.lastIndexOf("\n---"), before.startsWith("---") ? 0 : -1);
		const document = start < 0 ? before : before.slice(before.indexOf("\n", start + 1) + 1);
		const { path, value, word } = placeOf(document);
		const whole = context.state.sliceDoc(context.pos - document.length).split(/\n---/)[0];
		const selector = selectorText(whole, document);
		if (selector !== null)
			return offered(context, deviceNames(context.state.doc.toString(), selector), /[.["]$/.test(selector));
		const expression = expressionText(whole, document);
		if (expression !== null) return offered(context, ruleNames(catalogue, expression), expression.endsWith("."));
		if (!word && !context.explicit) return null;
		const options = optionsAt(catalogue, whole, path, value);
		const written = value !== null && options.some(({ label }) => label === word); // Enter is for the next line
		if (written && !context.explicit) return null;
		return options.length ? { from: context.pos - word.length, options } : null;
	};
}

/**
 * CodeMirror's result for names that complete an expression; null without names, or before a word is begun unless the
 * author asks for names or `opens`.
 * @param {any} context @param {{word: string, option: any}[]} names @param {boolean} opens whether names may follow
 */
function offered(context, names, opens) {
	if (!names.length || (!names[0].word && !context.explicit && !opens)) return null;
	return { from: context.pos - names[0].word.length, options: names.map(({ option }) => option) };
}

const EXPRESSIONS = /^(?:spec: *\{ *| +)(preEnqueue|filter|score|permit|message): *(.*)$/;

/**
 * The text of a SchedulerPlugin's expression up to the cursor; null outside of one.
 * @param {string} whole the document @param {string} before it up to the cursor
 */
export function expressionText(whole, before) {
	if (!/^kind:\s*"?SchedulerPlugin/m.test(whole)) return null;
	return valueAtEnd(before, EXPRESSIONS)?.text ?? null;
}

/**
 * The value at the end of a text, of the last field that `pattern` matches: on the field's line (`quotable`, since it
 * may begin with a quote), or in a block below it; null if the text does not end in one.
 * @param {string} before @param {RegExp} pattern whose last group is the rest of the field's line
 */
function valueAtEnd(before, pattern) {
	const lines = before.split("\n");
	const last = lines.length - 1;
	const indentOf = (/** @type {string} */ line) => line.length - line.trimStart().length;
	for (let at = last; at >= 0; at--) {
		const rest = pattern.exec(lines[at])?.at(-1);
		const indent = indentOf(lines[at]);
		if (rest !== undefined) {
			const block = /^[|>]/.test(rest);
			if (at === last) return block ? null : { text: rest, quotable: true };
			const inside = lines.slice(at + 1);
			const deeper = inside.every((line) => !line.trim() || indentOf(line) > indent);
			return block && deeper ? { text: inside.join("\n"), quotable: false } : null;
		}
		if (lines[at].trim() && indent === 0) return null;
	}
	return null;
}

const SELECTOR = /(?:^|[\s{,-])expression: *(.*)$/;

/**
 * The text of a device's CEL selector up to the cursor; null outside of one.
 * @param {string} whole the document @param {string} before it up to the cursor
 */
export function selectorText(whole, before) {
	if (!/^kind:\s*"?(DeviceClass|ResourceClaim)/m.test(whole)) return null;
	const value = valueAtEnd(before, SELECTOR);
	if (!value) return null;
	return value.quotable ? value.text.replace(/^['"]/, "").replaceAll('\\"', '"') : value.text;
}

const OF_DEVICE = ["driver", "attributes", "capacity", "allowMultipleAllocations"];

/**
 * Names that can complete the end of a selector: fields of `device`, drivers, attributes and capacities of the devices
 * in the text, functions. Each comes with the word that it completes. None within other strings.
 * @param {string} text of all documents @param {string} expression
 */
export function deviceNames(text, expression) {
	const offer = (/** @type {string} */ label, /** @type {string} */ word, /** @type {string} */ type) => ({
		word,
		option: { label, type },
	});
	const domain = /device\.(?:attributes|capacity)\["([^"\]]*)$/.exec(expression);
	if (domain) return driversOf(text).map((label) => offer(label, domain[1], "constant"));
	const id = /device\.(attributes|capacity)\["([^"]*)"\]\.\??(\w*)$/.exec(expression);
	if (id) return idsOf(text, id[1], id[2]).map((label) => offer(label, id[3], "property"));
	const driver = /device\.driver *[!=]= *"([^"]*)$/.exec(expression);
	if (driver) return driversOf(text).map((label) => offer(label, driver[1], "constant"));
	if ((expression.match(/"/g) ?? []).length % 2) return []; // within some other string
	const field = /(?:^|[^\w.])device\.(\w*)$/.exec(expression);
	if (field) return OF_DEVICE.map((label) => offer(label, field[1], "property"));
	const word = expression.split(/\W/).pop() ?? "";
	if (expression.at(-1 - word.length) === ".")
		return [...MEMBERS, "compareTo("].map((label) => offer(label, word, "method"));
	return [offer("device", word, "variable"), ...FUNCTIONS.map((label) => offer(label, word, "function"))];
}

/** The drivers of the text's ResourceSlices. @param {string} text */
function driversOf(text) {
	return [...new Set(slicesIn(text).map(([driver]) => driver))].filter(Boolean).sort();
}

/** The driver ("" if missing) and the text of each ResourceSlice. @param {string} text @returns {[string, string][]} */
function slicesIn(text) {
	return text
		.split(/^---.*$/m)
		.filter((document) => /^kind:\s*"?ResourceSlice"?\s*$/m.test(document))
		.map((document) => [/\bdriver:\s*"?([\w.-]+)/.exec(document)?.[1] ?? "", document]);
}

/** Fields of an attribute or a capacity, which are not names of one. */
const VALUE_FIELDS = ["string", "int", "bool", "version", "value", "requestPolicy"];

/**
 * The names of attributes, or of capacities, that devices have in a domain.
 * @param {string} text @param {string} field @param {string} domain
 */
function idsOf(text, field, domain) {
	/** @type {Set<string>} */
	const ids = new Set();
	for (const [driver, document] of slicesIn(text)) {
		for (const { key, path } of keysIn(document)) {
			if (path.at(-1) !== field) continue;
			const [before, id] = key.includes("/") ? key.split("/") : [driver, key];
			if (before === domain && !VALUE_FIELDS.includes(id)) ids.add(id);
		}
	}
	return [...ids].sort();
}

/** Yields each key of a document with the keys above it. @param {string} document */
function* keysIn(document) {
	/** @type {{indent: number, key: string}[]} */
	const open = [];
	for (const line of document.split("\n")) {
		const start = line.length - line.replace(/^\s*(- +)*/, "").length;
		if (!line.trim() || line.trim().startsWith("#")) continue;
		while (open.length && open[open.length - 1].indent >= start) open.pop();
		const outer = open.map(({ key }) => key);
		/** @type {string[]} the keys whose braces are open on this line */
		const within = [];
		let key = "";
		for (const part of line.slice(start).split(/([{},])/)) {
			if (part === "{") within.push(key);
			else if (part === "}") key = within.pop() ?? "";
			else if (part.includes(":")) {
				key = part.slice(0, part.indexOf(":")).trim().replaceAll('"', "");
				yield { key, path: [...outer, ...within.filter(Boolean)] };
				if (!within.length) open.push({ indent: start, key });
			}
		}
	}
}

const AMOUNTS = ["cpu", "memory", "ephemeral-storage", "pods"];
const VARIABLES = /** @type {Record<string, string>} */ ({
	pod: "Pod",
	node: "Node",
	pods: "list of Pod",
	podRequests: "amounts",
	requested: "amounts",
	allocatable: "amounts",
	cluster: "sums",
});
const FUNCTIONS = [...["has(", "size(", "int(", "string(", "quantity(", "semver(", "cel.bind("], ...["true", "false"]];
const MEMBERS = [
	...["exists(", "all(", "filter(", "map(", "size()", "sum()", "orValue(", "contains(", "startsWith("],
	...["endsWith(", "matches(", "split(", "replace(", "lowerAscii()", "isLessThan(", "isGreaterThan(", "asInteger()"],
];

/**
 * Names that can complete the end of an expression: variables, their fields, functions. Each comes with the word that
 * it completes.
 * @param {Catalogue} catalogue @param {string} expression
 */
export function ruleNames(catalogue, expression) {
	const path = (expression.split(/[^\w.?]/).pop() ?? "").replaceAll("?", "").split(".");
	const word = path.pop() ?? "";
	const offer = (/** @type {string} */ label, /** @type {string} */ type, detail = "") => ({
		word,
		option: { label, type, detail },
	});
	if (!path.length)
		return [
			...Object.entries(VARIABLES).map(([label, detail]) => offer(label, "variable", detail)),
			...FUNCTIONS.map((label) => offer(label, "function")),
		];
	const [root, ...rest] = path;
	const type = VARIABLES[root];
	if (type === "sums" && !rest.length)
		return ["nodes", "pods", "requested", "allocatable"].map((label) => offer(label, "property"));
	if (type === "amounts" || (type === "sums" && rest.length === 1 && rest[0] !== "nodes" && rest[0] !== "pods"))
		return AMOUNTS.filter((label) => !label.includes("-")).map((label) => offer(label, "property"));
	const fields = type in catalogue.types ? fieldsAt(catalogue, type, rest) : undefined;
	const own = Object.entries(fields ?? {}).map(([label, field]) => offer(label, "property", field.hint));
	return [...own, ...(own.length ? [] : MEMBERS.map((label) => offer(label, "method")))];
}

/**
 * Completions at a path of a document: values of the field `value`, or, if it is null, the fields there.
 * @param {Catalogue} catalogue @param {string} document @param {string[]} path @param {string | null} value
 */
export function optionsAt(catalogue, document, path, value) {
	const { kinds = [] } = catalogue;
	if (value === "kind" && !path.length)
		return [...new Set(kinds.map(({ kind }) => kind))].map((label) => ({ label, type: "class" }));
	if (value === "apiVersion" && !path.length)
		return [...new Set(kinds.map(({ apiVersion }) => apiVersion))].map((label) => ({ label, type: "constant" }));
	const name = /^kind:\s*"?(\w+)/m.exec(document)?.[1] ?? "";
	const type = kinds.find(({ kind }) => kind === name)?.type;
	const here = type && fieldsAt(catalogue, type, path);
	const list = type ? fieldsAt(catalogue, type, path.slice(0, -1))?.[path.at(-1) ?? ""] : undefined;
	if (list?.list && list.values) return list.values.map((label) => ({ label, type: "constant" }));
	if (list?.keys && value === null)
		return Object.entries(list.keys).map(([label, detail]) => ({
			label,
			type: "property",
			detail,
			apply: `${label}: `,
		}));
	if (!here)
		return path.length ? [] : ["apiVersion: ", "kind: ", "metadata:"].map((label) => ({ label, type: "property" }));
	if (value !== null) return (here[value]?.values ?? []).map((label) => ({ label, type: "constant" }));
	return Object.entries(here).map(([label, field]) => ({
		label,
		type: "property",
		detail: field.hint,
		apply: field.type in catalogue.types || field.map || field.list ? `${label}:` : `${label}: `,
	}));
}
