// @ts-check
/** The dialogs over the page: help, share, go to, search, breakpoints, transcript. */

import { copy } from "../shared/copy.js";
import { button, h, patch } from "../shared/dom.js";
import { plain, t } from "../shared/i18n.js";
import { formatLink, sharedLink } from "../shared/link.js";
import { nameInKey, seconds } from "../shared/units.js";
import { captionOf, framesOf } from "../steps/registry.js";
import { apply, fork } from "../trace/state.js";
import { KEYS } from "./keyboard.js";
import { savePicture } from "./picture.js";

/** @type {Record<string, (view: View, close: () => void) => Child>} */
const BODIES = { help, signs: legend, share, goto: goTo, search, breakpoints, transcript };

/**
 * Draws the dialog with this name, which its caller opens.
 * @param {HTMLDialogElement} dialog @param {string} name @param {View} view
 */
export function drawDialog(dialog, name, view) {
	const close = () => dialog.close();
	dialog.className = `player-dialog ${name}`;
	dialog.setAttribute("aria-label", t(`dialog.${name}`));
	patch(dialog, [
		h(
			"header",
			{ key: "head" },
			h("h2", null, t(`dialog.${name}`)),
			button(close, { class: "icon-button", "aria-label": t("close") }, "✕"),
		),
		h("div", { key: name, class: "dialog-body" }, BODIES[name]?.(view, close)),
	]);
}

/**
 * The Share dialog: links, the HTML that embeds the run, and for a scenario of this site the tools for teachers, files
 * and pictures; in a class, only the link to this step.
 * @param {View} view
 */
function share(view) {
	const { scenario } = view.boot;
	const page = new URL(view.boot.page ?? location.pathname, location.href);
	const embed = new URL(page);
	embed.pathname = page.pathname.replace(/^\/s\//, "/embed/");
	const title = escapeAttribute(scenario?.title ?? "kschedui");
	const place = { step: view.step, frame: view.frame, selection: view.selection, order: view.order };
	const field = (/** @type {string} */ key, /** @type {string} */ text) =>
		h(
			"div",
			{ key, class: "share-field" },
			h(
				"label",
				null,
				t(`share.${key}`),
				h("input", {
					type: "text",
					readonly: true,
					value: text,
					on: { focus: (/** @type {any} */ event) => event.target.select() },
				}),
			),
			button(
				({ target }) => copy(target, target.parentElement.querySelector("input")),
				{ class: "button" },
				t("share.copy"),
			),
		);
	if (view.boot.class) return [field("step", page.href + formatLink(place))];
	return [
		scenario?.private &&
			h(
				"p",
				{ key: "private", class: "share-private" },
				t("share.private"),
				" ",
				h("a", { href: `/s/${scenario.id}/settings` }, t("share.settings")),
			),
		field("step", sharedLink(page, place)),
		field("whole", page.href),
		field(
			"frame",
			`<iframe src="${sharedLink(embed, place)}" width="960" height="600" title="${title}" loading="lazy"></iframe>`,
		),
		scenario?.id && shareMore(view, page, place),
	];
}

/**
 * The part of the Share dialog for a scenario of this site: a QR code, the tools for teachers, files and pictures.
 * @param {View} view @param {URL} page @param {import("../shared/link.js").Place} place
 */
function shareMore(view, page, place) {
	const file = (/** @type {string} */ name) =>
		h("a", { key: name, class: "button", href: `${page.pathname}${name}${page.search}`, download: "" }, name);
	return h(
		"div",
		{ key: "more", class: "share-more" },
		h("img", {
			class: "qr",
			src: sharedLink(new URL(`${page.pathname}qr.svg${page.search}`, page), place),
			width: "148",
			height: "148",
			alt: t("share.qr"),
		}),
		h(
			"div",
			null,
			teaching(view, page, formatLink(place)),
			h("h3", null, t("share.files")),
			h("p", { class: "buttons" }, ["scenario.yaml", "events.jsonl", "decisions.jsonl", "trace.json"].map(file)),
			h("h3", null, t("share.picture")),
			h(
				"p",
				{ class: "buttons" },
				["svg", "png"].map((kind) =>
					button(
						() => void savePicture(/** @type {"svg" | "png"} */ (kind)),
						{ key: kind, class: "button" },
						kind.toUpperCase(),
					),
				),
				button(() => print(), { key: "print", class: "button" }, t("share.print")),
			),
		),
	);
}

/**
 * The tools for teachers: a class on this run, the speaker's view, and the handout; null without a form token, or in an
 * embedded page.
 * @param {View} view
 * @param {URL} page
 * @param {string} here the fragment of the link to this step
 */
function teaching(view, page, here) {
	const token = document.querySelector("input[name=csrfmiddlewaretoken]");
	if (!(token instanceof HTMLInputElement) || view.boot.embed) return null;
	const course = new URLSearchParams(location.search).get("course");
	const more = course ? `?${new URLSearchParams({ course })}` : "";
	return [
		h(
			"form",
			{ key: "class", method: "post", action: `${page.pathname}class${more}${here}`, class: "share-class" },
			h("input", { type: "hidden", name: "csrfmiddlewaretoken", value: token.value }),
			h("input", { type: "hidden", name: "run", value: view.run.id }),
			h("button", { class: "button primary" }, t("share.class")),
			h("p", { class: "muted small" }, t("share.class.about")),
		),
		h(
			"div",
			{ key: "speaker", class: "share-tool" },
			button(() => view.act.open("speaker"), { class: "button" }, t("share.speaker")),
			h("p", { class: "muted small" }, t("share.speaker.about")),
		),
		h(
			"div",
			{ key: "handout", class: "share-tool" },
			h("a", { class: "button", href: `${page.pathname}handout${page.search}` }, t("share.handout")),
			h("p", { class: "muted small" }, t("share.handout.about")),
		),
	];
}

/** Shows an error at the number of the Go to dialog, "" none. @param {any} event of its form @param {string} error */
function showError({ currentTarget: form }, error) {
	form.elements.value.setCustomValidity(error);
	if (error) form.reportValidity();
}

/**
 * The Go to dialog: a form for the number of a step or an attempt, or a time.
 * @param {View} view @param {() => void} close
 */
function goTo(view, close) {
	const submit = (/** @type {Event} */ event) => {
		event.preventDefault();
		const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
		const [kind, text] = [String(form.get("kind")), String(form.get("value")).trim()];
		const column =
			kind === "attempt"
				? view.index.columns.find((entry) => entry.kind === "attempt" && entry.attempt === Number(text))
				: kind === "time"
					? view.index.columns.find((entry) => entry.time >= Number(text))
					: null;
		const [step, frame = 0] = kind === "step" ? text.split(".").map(Number) : [column?.step];
		const { complete, steps } = view.store;
		const exists = step !== undefined && Number.isInteger(step) && step >= 0 && frame >= 0;
		if (!exists || (complete && step >= steps)) return showError(event, t("goto.none"));
		view.act.seek(step, frame);
		close();
	};
	return h(
		"form",
		{ key: "goto", class: "goto-form", on: { submit, input: (/** @type {any} */ event) => showError(event, "") } },
		h(
			"label",
			null,
			t("goto.what"),
			h(
				"select",
				{ name: "kind" },
				["step", "attempt", "time"].map((kind) => h("option", { key: kind, value: kind }, t(`goto.${kind}`))),
			),
		),
		h(
			"label",
			null,
			t("goto.value"),
			h("input", { type: "text", name: "value", inputmode: "decimal", autofocus: true, required: true }),
		),
		h("button", { class: "button primary" }, t("goto.go")),
	);
}

const MAX_FOUND = 40;

/** The Search dialog: a text field, and the list of what it finds. @param {View} view @param {() => void} close */
function search(view, close) {
	const show = (/** @type {string} */ text) => {
		const target = document.querySelector("#search-results");
		if (target) patch(target, results(view, close, text.toLowerCase()));
	};
	return [
		h(
			"label",
			{ key: "label" },
			t("search.label"),
			h("input", {
				id: "search-word",
				type: "search",
				autofocus: true,
				autocomplete: "off",
				on: {
					input: (/** @type {any} */ event) => show(event.target.value),
					keydown: (/** @type {KeyboardEvent} */ event) => {
						if (event.key !== "Enter") return;
						event.preventDefault();
						/** @type {HTMLElement | null} */ (document.querySelector("#search-results button"))?.click();
					},
				},
			}),
		),
		h("ul", { key: "results", id: "search-results", class: "results", opaque: true }),
	];
}

/**
 * The pods, nodes and attempts that match the word, as MAX_FOUND list items at most, or one that says that there are
 * none; [] for an empty word.
 * @param {View} view @param {() => void} close @param {string} word
 */
function results(view, close, word) {
	if (!word) return [];
	const link = (/** @type {string} */ key, /** @type {string} */ text, /** @type {() => void} */ run) =>
		h(
			"li",
			{ key },
			button(
				() => {
					run();
					close();
				},
				{ class: "link" },
				text,
			),
		);
	const pods = [...new Set([...view.state.pods.keys(), ...view.index.moves.keys()])].filter((key) =>
		key.toLowerCase().includes(word),
	);
	const nodes = [...view.state.nodes.keys()].filter((name) => name.toLowerCase().includes(word));
	const attempts = view.index.columns.flatMap((column) =>
		column.kind === "attempt" && nameInKey(column.pod).toLowerCase().includes(word) ? [column] : [],
	);
	const matches = [
		...pods.map((key) => link(`p${key}`, `${t("pod")} ${key}`, () => view.act.select({ kind: "pod", name: key }))),
		...nodes.map((name) => link(`n${name}`, `${t("node")} ${name}`, () => view.act.select({ kind: "node", name }))),
		...attempts.map((attempt) =>
			link(
				`a${attempt.attempt}`,
				t("search.attempt", { n: attempt.attempt, time: seconds(attempt.time), pod: nameInKey(attempt.pod) }) +
					(attempt.node ? ` → ${attempt.node}` : ""),
				() => view.act.seek(attempt.step),
			),
		),
	];
	return matches.length ? matches.slice(0, MAX_FOUND) : [h("li", { key: "none" }, t("search.none"))];
}

/** The Breakpoints dialog: the list of breakpoints, and a form that adds one. @param {View} view */
function breakpoints(view) {
	const { player } = view;
	const again = () => view.act.open("breakpoints");
	const submit = (/** @type {Event} */ event) => {
		event.preventDefault();
		const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
		const value = (/** @type {string} */ name) => String(form.get(name) ?? "").trim();
		const breakpoint = { pod: value("pod"), plugin: value("plugin"), outcome: value("outcome") };
		if (breakpoint.pod || breakpoint.plugin || breakpoint.outcome) player.breakpoints.push(breakpoint);
		again();
	};
	return [
		h("p", { key: "about" }, t("breakpoints.about")),
		h(
			"form",
			{ key: "form", class: "goto-form", on: { submit } },
			h("label", null, t("pod"), h("input", { type: "text", name: "pod" })),
			h("label", null, t("breakpoints.plugin"), h("input", { type: "text", name: "plugin" })),
			h(
				"label",
				null,
				t("breakpoints.outcome"),
				h(
					"select",
					{ name: "outcome" },
					["", "Scheduled", "Nominated", "Unschedulable", "Error"].map((outcome) =>
						h("option", { key: outcome, value: outcome }, outcome ? t(`outcome.${outcome}`) : "–"),
					),
				),
			),
			h("button", { class: "button primary" }, t("breakpoints.add")),
		),
		h(
			"ul",
			{ key: "list", class: "results" },
			player.breakpoints.map((breakpoint, i) =>
				h(
					"li",
					{ key: i },
					[nameInKey(breakpoint.pod), breakpoint.plugin, breakpoint.outcome && t(`outcome.${breakpoint.outcome}`)]
						.filter(Boolean)
						.join(", "),
					" ",
					button(
						() => {
							player.breakpoints.splice(i, 1);
							again();
						},
						{ class: "link" },
						t("breakpoints.remove"),
					),
				),
			),
		),
	];
}

/** Escapes a text for an HTML attribute in double quotes. @param {string} text */
function escapeAttribute(text) {
	return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** @typedef {import("./keyboard.js").Binding} Binding */

const KEY_NAMES = {
	" ": "space",
	ArrowRight: "→",
	ArrowLeft: "←",
	PageDown: "pg dn",
	PageUp: "pg up",
	"Shift+ArrowRight": "shift →",
	"Shift+ArrowLeft": "shift ←",
};
const SIGNS = [
	"solid",
	"hollow",
	"passed",
	"star",
	"reprieved",
	"untouchable",
	"hatched",
	"amber",
	"indigo",
	"tried",
	"changed",
	"gap",
];
const RANGE = 3; // of more keys, the first and the last are shown

/** The Help dialog: the keys by group, and the signs of the picture. @returns {Child} */
function help() {
	return [
		h(
			"div",
			{ key: "keys", class: "keys" },
			Object.entries(KEYS).map(([name, bindings]) =>
				h("section", { key: name }, h("h3", null, t(`help.keys.${name}`)), h("dl", null, bindings.map(keyRow))),
			),
		),
		h("h3", { key: "signs" }, t("help.signs")),
		legend(),
	];
}

/** The legend of the picture and the timeline. @returns {Child} */
function legend() {
	return h(
		"ul",
		{ key: "legend", class: "signs" },
		SIGNS.map((sign) => h("li", { key: sign }, t(`help.${sign}`))),
	);
}

/** The keys of one command, and what it does. @param {Binding} binding */
function keyRow({ keys, name }) {
	const shown = keys.length > RANGE ? [keys[0], "–", keys[keys.length - 1]] : keys;
	const text = t(`control.${name}`).replace(/ ?[(（].*/, "");
	return h(
		"div",
		{ key: name },
		h(
			"dt",
			null,
			shown.map((key) =>
				key === "–" ? key : h("kbd", { key }, KEY_NAMES[/** @type {keyof typeof KEY_NAMES} */ (key)] ?? key),
			),
		),
		h("dd", null, text),
	);
}

const AROUND = 150; // steps

/**
 * The Transcript dialog: the sentences of the steps around the current one.
 * @param {View} view @param {() => void} close
 */
function transcript(view, close) {
	const from = Math.max(0, view.step - AROUND);
	const to = Math.min(view.store.steps - 1, view.horizon?.step ?? view.step + AROUND);
	return [
		h("p", { key: "about" }, t("transcript.about", { from, to, all: view.store.steps })),
		h(
			"ol",
			{ key: "lines", class: "transcript-lines" },
			transcriptLines(view, from, to)
				.filter(mayBeShown(view))
				.map((line) =>
					h(
						"li",
						{
							key: `${line.step}.${line.frame}`,
							class: line.step === view.step && line.frame === view.frame ? "now" : "",
							"aria-current": line.step === view.step && line.frame === view.frame ? "step" : null,
						},
						button(
							() => {
								view.act.seek(line.step, line.frame);
								close();
							},
							{ class: "link" },
							`${line.step}${line.frame ? `.${line.frame}` : ""}`,
						),
						h("span", { class: "when" }, seconds(line.time)),
						h("span", null, h("b", null, line.sentence), " ", line.why),
					),
				),
		),
	];
}

/**
 * Returns a test for the lines that do not reveal the answer of an open question.
 * @param {View} view
 * @returns {(line: {step: number, frame: number}) => boolean}
 */
function mayBeShown({ horizon }) {
	return ({ step, frame }) => !horizon || step < horizon.step || frame <= horizon.frame;
}

/**
 * The sentences of the steps from `from` to `to`, one per frame, up to the first step that is not loaded.
 * @param {View} view @param {number} from @param {number} to
 */
function transcriptLines(view, from, to) {
	const out = [];
	const first = view.store.stateAfter(from);
	let state = first ? fork(first) : null;
	for (let step = from; step <= to && state; step += 1) {
		const event = view.store.event(step);
		if (!event) break;
		if (step > from) apply((state = fork(state)), event);
		for (let frame = 0; frame < framesOf(event); frame += 1) {
			const caption = captionOf({ state, event, frame, order: "plugin", following: view.store.event(step + 1) });
			out.push({ step, frame, time: state.time, sentence: plain(caption.sentence), why: plain(caption.why) });
		}
	}
	return out;
}
