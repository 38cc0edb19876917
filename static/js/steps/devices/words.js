// @ts-check
/** Captions of the search for devices, its steps in a few words, and the document whose line decides. */

import { h } from "../../shared/dom.js";
import { list, num, parts, t } from "../../shared/i18n.js";
import { nameInKey } from "../../shared/units.js";
import { panel, rule } from "../parts/panel.js";
import { node, nodes, pod } from "../parts/words.js";
import { chosenAfter, decidingTry, deviceName, placeAt, placesOf } from "./model.js";

/** @typedef {import("./model.js").Searched} Searched */
/** @typedef {import("./model.js").NodeSearch} NodeSearch */
/** @typedef {import("./model.js").Try} Try */

const MOST = 3; // names of devices
const MAX_LINES = 9; // before the marked line
const BEFORE = 6;

/** The names of the first devices, and the number of the others. @param {string[]} devices */
function deviceNames(devices) {
	return list(
		devices.map((id) => ({ text: deviceName(id), kind: "device" })),
		MOST,
	);
}

/** A step of the search, in a few words. @param {Try} attempt */
export function tryWords({ kind, request, devices = [], text = "", claim = "" }) {
	const words = {
		devices: deviceNames(devices),
		request,
		text: shownText(kind, text),
		claim: nameInKey(claim),
		n: devices.length,
	};
	return t(`devices.try.${kind}`, words);
}

/** The text of a try; a claim without its namespace. @param {string} kind @param {string} text */
function shownText(kind, text) {
	return kind === "held" ? nameInKey(text) : text;
}

/** The result of the search on a node in words: the devices, or why there are too few. @param {NodeSearch} search */
export function outcomeWords({ outcome, found = [], shortage }) {
	if (shortage) return t("devices.outcome.few", { found: shortage.found, wanted: shortage.wanted });
	if (outcome !== "found") return t(`devices.outcome.${outcome}`);
	return found.length
		? deviceNames(found.map(([, , device]) => device))
				.map((part) => (typeof part === "string" ? part : part.text))
				.join("")
		: t("devices.outcome.usable");
}

const REASONS = ["held", "selector", "constraint", "taint", "counters", "capacity", "empty"];
const MAX_REASONS = 2;

/** The caption of a place in the search for devices. @param {Context} context @returns {Partial<Caption>} */
function searched({ event, frame, state, subject = "" }) {
	return {
		eyebrow: parts("eyebrow.devices"),
		next: nextPlace(event, frame),
		...placeCaption(event, frame, state, subject),
	};
}

/**
 * The words for the next step of the search; [] at its end.
 * @param {Searched} event @param {number} frame @returns {Part[]}
 */
function nextPlace(event, frame) {
	const [now, next] = [placeAt(event, frame), placesOf(event)[frame + 1]];
	if (!next) return [];
	const key = next.node !== now.node ? "next.node" : next.ended ? "next.devices" : "next.device";
	return parts(key, { node: node(event.nodes[next.node].node) });
}

/**
 * The sentence for a place in the search, and the reason.
 * @type {(event: Searched, frame: number, state: State, subject: string) => Partial<Caption>}
 */
function placeCaption(event, frame, state, subject) {
	const place = placeAt(event, frame);
	const values = {
		pod: pod(subject, subject),
		claims: list(event.claims.map((/** @type {string} */ key) => nameInKey(key))),
	};
	if (place.node < 0) return introCaption(event, values);
	/** @type {NodeSearch} */
	const search = event.nodes[place.node];
	const onNode = { ...values, node: node(search.node) };
	if (place.ended) return endCaption(event, search, place.like, onNode, state);
	const attempt = /** @type {Try} */ (search.tries?.[place.tries - 1]);
	const { kind, request, devices = [], text = "", document: documentIndex = -1 } = attempt;
	const documentName = event.documents?.[documentIndex];
	const words = {
		...onNode,
		devices: deviceNames(devices),
		n: devices.length,
		request,
		text: num(shownText(kind, text), "search"),
		document: documentName ? `${documentName.kind} ${documentName.name}` : "",
		k: num(chosenAfter(search, place.tries).filter((choice) => choice.request === request).length),
		count: countOf(event, attempt),
	};
	return { sentence: parts(`devices.${kind}`, words), why: parts(`devices.${kind}.why`, words) };
}

/** The number of devices that a request asks for, or "all", as text. @param {Searched} event @param {Try} attempt */
function countOf({ requests }, { request, claim }) {
	const count = requests.find((entry) => entry.name === request && entry.claim === claim)?.count ?? 1;
	return count ? String(count) : t("devices.all");
}

/**
 * The sentence at the beginning of the search.
 * @param {Searched} event @param {Record<string, any>} values @returns {Partial<Caption>}
 */
function introCaption(event, values) {
	const searches = event.nodes.some(({ tries = [], outcome }) => outcome !== "unavailable" && tries.length);
	const key = searches ? "devices.intro" : "devices.intro.allocated";
	const words = { ...values, n: event.claims.length, nodes: num(event.nodes.length + (event.more ?? 0)) };
	return { sentence: parts(key, words), why: parts(`${key}.why`, words) };
}

/**
 * The caption for the end of a node's search.
 * @param {Searched} event @param {NodeSearch} search
 * @param {number} like the index of an earlier node that was searched alike, or -1
 * @param {Record<string, any>} values
 * @param {State} state
 * @returns {Partial<Caption>}
 */
function endCaption(event, search, like, values, state) {
	const { outcome, found = [], message = "", pools = [] } = search;
	const bad = pools.filter(({ problem }) => problem);
	const kind = outcome === "found" && !found.length ? "usable" : outcome;
	const words = {
		...values,
		devices: deviceNames(found.map(([, , device]) => device)),
		n: Math.max(1, found.length),
		other: like >= 0 ? node(event.nodes[like].node) : "",
		message,
		pools: bad.length ? t(`devices.pool.${bad[0].problem}`, { message: bad[0].message ?? "" }) : "",
		pool: bad[0]?.pool ?? "",
		nodes: list(nodes([...state.nodes.keys()])),
	};
	const why = [
		...(like >= 0 ? [...parts("devices.like", words), " "] : []),
		...(outcome === "none" ? shortageReasons(search) : []),
		...(bad.length && outcome !== "found" ? [...parts("devices.end.pool", words), " "] : []),
		...parts(message ? "devices.end.message" : `devices.end.${kind}.why`, words),
	];
	return { sentence: parts(`devices.end.${kind}`, words), why };
}

/** The first few reasons why a node has too few devices. @param {NodeSearch} search */
function shortageReasons({ pools = [], tries = [], shortage }) {
	const bare = pools.every(({ devices = [], problem }) => !devices.length && !problem);
	if (bare) return [...parts("devices.end.bare", {}), " "];
	const few = shortage ? [...parts("devices.end.few", fewWords(shortage)), " "] : [];
	const against = tries.filter(({ kind }) => REASONS.includes(kind));
	const written = against.slice(0, MAX_REASONS).flatMap(({ kind, request, devices = [], text = "" }, i) => {
		const words = {
			devices: deviceNames(devices),
			n: devices.length,
			request,
			text: num(shownText(kind, text), "search"),
		};
		return [...(i ? [t("devices.end.between")] : []), ...parts(`devices.try.${kind}`, words)];
	});
	const rest = against.length > MAX_REASONS ? " …" : t("devices.end.stop");
	return [...few, ...(written.length ? [...written, rest, " "] : [])];
}

/** The values for the sentence about too few devices. @param {import("../../trace/trace").DeviceShortage} shortage */
function fewWords({ request, found, wanted }) {
	return { request, found: num(found), wanted: num(wanted) };
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = { DevicesSearched: searched };

/** The number of frames of a search. @param {Searched} event */
export function searchFrames(event) {
	return placesOf(event).length;
}

/**
 * The margin's panel with the document whose line decides; null if there was no search in this cycle.
 * @param {View} view @returns {Child}
 */
export function explain({ state, event, frame }) {
	/** @type {Searched | undefined} */
	const search = state.cycle.DevicesSearched;
	if (!search) return null;
	const at = event.type === "DevicesSearched" ? frame : placesOf(search).length - 1;
	const deciding = decidingTry(search, at);
	const document = search.documents?.[deciding?.document ?? -1] ?? search.documents?.[0];
	if (!document) return panel(t("devices.margin"), nameInKey(search.claims[0] ?? ""), rule(state, "DynamicResources"));
	const line = deciding ? (deciding.line ?? -1) : -1;
	return panel(
		document.kind,
		document.name,
		deciding && h("p", { key: "words", class: "formula" }, tryWords(deciding)),
		yamlLines(document.lines, line),
		rule(state, "DynamicResources"),
	);
}

/**
 * The lines of a document from `spec` on, or from a few before the marked line if that is far below.
 * @param {string[]} lines @param {number} marked
 */
function yamlLines(lines, marked) {
	const spec = Math.max(0, lines.indexOf("spec:"));
	const first = marked - spec > MAX_LINES ? marked - BEFORE : spec;
	const shown = lines.slice(first);
	return h(
		"ol",
		{ key: "yaml", class: "yaml-lines" },
		first > spec && h("li", { key: "before" }, "⋮"),
		shown.map((text, i) => {
			const here = first + i === marked;
			return h(
				"li",
				{ key: first + i, class: here ? "marked" : "", "aria-current": here ? "true" : null },
				h("code", null, text),
			);
		}),
	);
}

/** A reference to the search for devices; null if there was none in this cycle. @param {Asked} place */
export function asked({ state }) {
	return state.cycle.DevicesSearched ? "search" : null;
}
