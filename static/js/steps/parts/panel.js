// @ts-check
/** Building blocks of the margin's panels: a title, tables and their rows. */

import { button, h } from "../../shared/dom.js";
import { has, t } from "../../shared/i18n.js";
import { nameInKey, quantity } from "../../shared/units.js";
import { hasPredicates } from "../../trace/phase.js";
import { PLUGINS } from "./plugins.js";
import { scrubNumber, skewTried, triedValue } from "./scrub.js";
import { passWords, stopWords, valuesOf, wishesOf } from "./words.js";

/**
 * A panel of the margin: its label, title and body.
 * @param {string} label @param {Child} title @param {Child[]} body @returns {Child}
 */
export function panel(label, title, ...body) {
	return [h("p", { key: "label", class: "margin-label" }, label), h("h2", { key: "title" }, title), ...body];
}

/** A table of numbers. @param {string[]} head @param {Child[]} rows @param {string} [key] */
export function table(head, rows, key = "table") {
	return h(
		"table",
		{ key, class: "figures" },
		h(
			"thead",
			null,
			h(
				"tr",
				null,
				head.map((text, i) => h("th", { key: i, scope: "col" }, text)),
			),
		),
		h("tbody", null, rows),
	);
}

/** A row of a table. @param {string} key @param {Child[]} cells @param {string} [kind] */
export function row(key, cells, kind = "") {
	return h(
		"tr",
		{ key, class: kind },
		cells.map((cell, i) => h("td", { key: i }, cell)),
	);
}

/**
 * The note on how many requests come before an explanation; false if it does not wait.
 * @param {View} view @param {string} node
 */
export function waitNote({ explainer, state }, node) {
	const n = explainer.requestsAhead(state.attempt, node);
	return n !== null && h("p", { key: "ahead", class: "note waits", role: "status" }, t("busy.ahead", { n }));
}

const SOURCE = "https://github.com/kubernetes/kubernetes/tree/release-*/pkg/scheduler/";

/**
 * The directory of a plugin in kube-scheduler's source, or a full address; undefined if it is not known.
 * @param {string} plugin @param {string} release @param {string} method
 */
function upstreamOf(plugin, release, method) {
	const directory = PLUGINS[plugin]?.upstream;
	if (method === "post_filter" && release <= "1.18") return "core";
	if (hasPredicates(release)) return `algorithm/${method === "score" ? "priorities" : "predicates"}`;
	return directory && (/^https:/.test(directory) ? directory : `framework/plugins/${directory}`);
}

/**
 * The list of a plugin's comparisons, and in English also a sentence for each; null if there is nothing to show.
 * @param {View} view @param {Fact[]} list @param {boolean} [compact] the comparison is already shown as a table
 * @returns {Child}
 */
export function facts(view, list, compact = false) {
	if (compact || !list.length) return null;
	const lines = list.map((fact, i) => {
		const line = skewLine(view, fact) ?? [comparison(fact, view.subject), " ", holdsMark(fact.holds)];
		return h("li", { key: i }, h("p", { class: "formula" }, ...line));
	});
	return [
		h("ul", { key: "facts", class: "facts" }, lines),
		t("language") === "en" && list.map(({ text }, i) => text && h("p", { key: `text${i}`, class: "note" }, text)),
	];
}

/** A sign: whether the condition holds. @param {boolean} holds */
function holdsMark(holds) {
	return h("b", { class: holds ? "yes" : "no" }, holds ? "✓" : "✕");
}

/**
 * "zone za: 2 + 1 - 0 = 3 ≤ 1": pods in the domain, this one, those in the emptiest; the limit can be dragged.
 * Null for other facts.
 * @param {View} view @param {Fact} fact @returns {Child[] | null}
 */
function skewLine(view, fact) {
	const { values, field } = fact;
	if (!values || !fact.key.endsWith(".skew")) return null;
	const limit = field ? skewTried(view, fact, field) : null;
	const most = limit ? triedValue(view, limit) : Number(values.maxSkew);
	const { topologyKey, domain } = valuesOf(fact);
	return [
		`${topologyKey} ${domain}${t("colon")}${fact.left} ≤ `,
		limit ? scrubNumber(view, limit, String) : String(most),
		" ",
		holdsMark(Number(values.skew) <= most),
	];
}

/** A comparison in words, or else with its sign. @param {Fact} fact @param {string} subject */
function comparison(fact, subject) {
	const words = fact.holds ? passWords([fact]) : stopWords(fact, subject)?.filter(Boolean).join(t("clause"));
	if (words) return words;
	const [first] = fact.right.split(" ");
	const kind = fact.key.slice(fact.key.indexOf(".") + 1);
	const line = [first, fact.holds ? "yes" : "no"].map((end) => `line.${kind}.${end}`).find(has);
	if (line) return t(line, { ...valuesOf(fact), left: fact.left, right: fact.right });
	if (fact.op === "of") return t("line.of", { left: fact.left, right: fact.right });
	const own = `sign.${fact.key.split(".")[0]}`;
	const key = has(`${own}.in`) ? own : "sign.among";
	const sign = { "∈": t(`${key}.in`), "∉": t(`${key}.not`) }[fact.op] ?? fact.op;
	return `${fact.left} ${sign} ${fact.right}`;
}

/**
 * The notes with a plugin's rule in words, if there is a text, and with links to its source.
 * @param {State} state @param {string} plugin @param {string} [method]
 */
export function rule(state, plugin, method = "filter") {
	const version = state.kubernetes_version;
	const upstream = upstreamOf(plugin, version, method);
	const sourceLink = (/** @type {string} */ key, /** @type {string} */ href) =>
		h("a", { key, href, target: "_blank", rel: "noopener noreferrer" }, t(key));
	return [
		has(`rule.${plugin}`) && h("p", { key: "rule", class: "note" }, t(`rule.${plugin}`)),
		(PLUGINS[plugin]?.source || (/^[A-Z]\w*$/.test(plugin) && plugin !== "Fault")) &&
			h(
				"p",
				{ key: "source", class: "note sources" },
				sourceLink("margin.source", PLUGINS[plugin]?.source ?? `/plugins/${plugin}/?kubernetes=${version}#${method}`),
				upstream &&
					sourceLink("margin.upstream", /^https:/.test(upstream) ? upstream : SOURCE.replace("*", version) + upstream),
			),
	];
}

/**
 * The part with the pod's requests and constraints, where the lines that a plugin reads are highlighted; null without a
 * pod.
 * @param {View} view @param {string[]} looksAt parts of the pod
 */
export function specOf(view, looksAt) {
	const pod = view.state.pods.get(view.subject);
	if (!pod) return null;
	/** @type {[string, boolean][]} */
	const lines = Object.entries(pod.summary.requests ?? {}).map(([name, value]) => [
		`requests.${name}: ${quantity(name, value)}`,
		looksAt.includes("requests"),
	]);
	lines.push([`priority: ${pod.summary.priority ?? 0}`, looksAt.includes("priority")]);
	for (const [key, value] of Object.entries(pod.summary.labels ?? {}).slice(0, 4))
		lines.push([`${key}: ${value}`, looksAt.includes("labels")]);
	for (const [text, kind] of wishesOf(pod)) lines.push([text, looksAt.includes(kind)]);
	return h(
		"div",
		{ key: "spec", class: "spec" },
		h("h3", null, t("margin.asks", { pod: nameInKey(view.subject) })),
		lines.map(([text, hot]) => h("code", { key: text, class: hot ? "hot" : "" }, text)),
		button(
			() => view.act.select({ kind: "pod", name: view.subject }),
			{ key: "yaml", class: "link" },
			t("margin.inspect"),
		),
	);
}

/**
 * The panel about the requests of a pod, by default of the subject; null if there is none.
 * @param {View} view @param {string} key
 */
export function requestPanel(view, key) {
	const name = view.state.pods.has(key) ? key : view.subject;
	const kept = (view.event.type === "PodsKeptWaiting" ? view.event.pods : []).find(
		(/** @type {import("../../trace/trace").KeptWaiting} */ { pod }) => pod === name,
	);
	const judge = view.event.rejected_by ?? kept?.hints[0]?.plugin;
	return name && view.state.pods.has(name)
		? panel(
				t("margin.request"),
				nameInKey(name),
				specOf({ ...view, subject: name }, judge ? (PLUGINS[judge]?.looks_at ?? []) : ["requests"]),
				h("p", { key: "note", class: "note" }, t("margin.requestsnote")),
			)
		: null;
}

/** A section of an inspector. @param {string} title @param {Child[]} body */
export function part(title, ...body) {
	return h("section", { key: title, class: "inspect" }, h("h3", null, title), ...body);
}

/** A button that looks like a link. @param {string} text @param {() => void} click */
export function link(text, click) {
	return button(click, { class: "link" }, text);
}
