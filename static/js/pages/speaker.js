// @ts-check
/**
 * The speaker view: what the player in another window of this browser shows and what comes next, private notes, a
 * clock, and the steps to go to. The player sends all of it (classroom/speaking.js).
 */

import { button, h, patch } from "../shared/dom.js";
import { loadCatalogue, t } from "../shared/i18n.js";
import { get, read } from "../shared/server.js";

/** @typedef {{eyebrow: string, sentence: string, why: string, lesson: string, asks?: boolean}} CaptionTexts */
/** @typedef {{step: number, frame: number, kind: string, text: string}} Stop */

const SILENCE = 2500; // milliseconds after which no player is there
const PICTURE_REST = 250; // a picture is drawn by the server: not while steps fly by
const NOT_KEYS = new Set(["Tab", "Escape", "Shift", "Control", "Alt", "Meta"]);

const KEPT = "kschedui.speaker.since";

/**
 * The start of the talk, by default now, in milliseconds since 1970; it is kept when the window is reloaded, if the
 * browser has storage.
 */
function startOfTalk() {
	try {
		return Number(sessionStorage.getItem(KEPT)) || restartTalk();
	} catch {
		return Date.now();
	}
}

/** Stores the current time as the start of the talk, and returns it. */
function restartTalk() {
	const now = Date.now();
	try {
		sessionStorage.setItem(KEPT, String(now));
	} catch {
		// without storage, it is not kept
	}
	return now;
}

/** "12:05", or "1:12:05" from an hour on. @param {number} seconds */
function formatElapsed(seconds) {
	const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
	const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
	return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Shows the time of day, and the time since the talk began. @param {Element} target @param {string} language */
function startClock(target, language) {
	const timeOfDay = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
	let since = startOfTalk();
	const drawTimes = () => {
		const seconds = Math.max(0, Math.floor((Date.now() - since) / 1000));
		const reset = () => {
			since = restartTalk();
			drawTimes();
		};
		patch(target, [
			h(
				"p",
				{ key: "day", class: "speaker-day" },
				h("span", { class: "sr" }, t("speaker.day")),
				timeOfDay.format(Date.now()),
			),
			h(
				"p",
				{ key: "elapsed", class: "speaker-elapsed" },
				h("span", { class: "sr" }, t("speaker.elapsed")),
				formatElapsed(seconds),
			),
			button(reset, { key: "reset", class: "button" }, t("speaker.reset")),
		]);
	};
	drawTimes();
	setInterval(drawTimes, 1000);
}

const REST = 700; // milliseconds after the last letter
const LONGEST = 2000;

/** The speaker's notes, one for each step, which the server stores. */
export class Notes {
	/** @param {string} address @param {() => void} changed */
	constructor(address, changed) {
		this.address = address;
		this.changed = changed;
		/** @type {Map<number, string>} by step */
		this.kept = new Map();
		this.step = -1;
		/** @type {{step: number, text: string} | null} not sent yet */
		this.unsent = null;
		this.due = 0;
		this.news = "";
		addEventListener("pagehide", () => void this.send());
	}

	/** Loads the notes. */
	async load() {
		try {
			for (const { step, text } of await get(this.address)) this.kept.set(step, text);
		} catch {
			this.news = t("speaker.notes.lost");
		}
	}

	/**
	 * Draws the note of the step on screen, or of the earlier step while somebody is writing it.
	 * @param {Element} target @param {number} now the step on screen
	 */
	draw(target, now) {
		const writing = document.hasFocus() && document.activeElement?.id === "note";
		const step = writing ? this.step : now;
		if (step !== this.step) {
			void this.send();
			this.news = "";
		}
		this.step = step;
		const input = (/** @type {any} */ event) => this.write(step, event.target.value);
		patch(target, [
			h("label", { key: "label", for: "note" }, t("speaker.note", { step })),
			h("textarea", {
				key: `note${step}`,
				id: "note",
				rows: "4",
				maxlength: String(LONGEST),
				value: this.unsent?.step === step ? this.unsent.text : (this.kept.get(step) ?? ""),
				placeholder: t("speaker.note.none"),
				on: { input, blur: () => void this.send().then(this.changed) },
			}),
			h("p", { key: "news", class: "muted small", role: "status" }, this.news || t("speaker.notes.about")),
		]);
	}

	/** Stores a note when the speaker has stopped typing. @param {number} step @param {string} text */
	write(step, text) {
		this.unsent = { step, text };
		this.news = "";
		clearTimeout(this.due);
		this.due = setTimeout(() => void this.send(), REST);
	}

	/** Stores the note that is not yet stored. */
	async send() {
		const { unsent } = this;
		clearTimeout(this.due);
		if (!unsent) return;
		this.unsent = null;
		const { step, text } = unsent;
		if (text.trim()) this.kept.set(step, text);
		else this.kept.delete(step);
		const token = /** @type {HTMLInputElement} */ (document.querySelector("input[name=csrfmiddlewaretoken]")).value;
		const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
		const body = JSON.stringify({ text });
		try {
			const sent = await fetch(`${this.address}/${step}`, { method: "PUT", headers, body, keepalive: true });
			const { status, body: reply } = await read(sent);
			this.news = status === 200 ? t("speaker.notes.saved") : reply.errors[0].message;
		} catch {
			this.unsent ??= unsent; // the next letter tries again
			this.news = t("speaker.notes.lost");
		}
		this.changed();
	}
}

const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");
const region = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const name = location.hash.slice(1);
const channel = new BroadcastChannel(`kschedui.speaker.${name}`);
const notes = new Notes(boot.notes, () => draw());
/** @type {any} */
let shown = null;
let followed = -1;
let resting = 0;

/** Sends a message to the player's window. @param {object} message */
const post = (message) => channel.postMessage(message);
/** Goes to a step in the player's window. */
const go = (/** @type {number} */ step, frame = 0) => post({ type: "go", step, frame });
/** Presses a key in the player's window. */
const key = (/** @type {string} */ pressed, shiftKey = false) => post({ type: "key", key: pressed, shiftKey });

/** Draws the page. */
function draw() {
	if (!shown) return void patch(region("now"), [h("p", { key: "alone", class: "muted" }, t("speaker.alone"))]);
	patch(region("now"), captionParts(shown.now, "speaker.now", "h1"));
	patch(
		region("next"),
		shown.next ? captionParts(shown.next, shown.next.asks ? "speaker.asks" : "speaker.next", "h2") : [],
	);
	patch(region("class"), classParts(shown.class));
	patch(region("buttons"), buttons());
	patch(region("stops"), [
		h("h2", { key: "title" }, t("speaker.stops")),
		h("ol", { key: "list" }, stops().map(stopRow)),
	]);
	notes.draw(region("notes"), shown.step);
	document.title = `${shown.step}: ${shown.now.sentence}`;
	region("speaker").dataset.step = shown.frame ? `${shown.step}.${shown.frame}` : String(shown.step);
}

/**
 * The elements that show a caption.
 * @param {CaptionTexts} caption @param {string} label the key of its label @param {string} heading the sentence's tag
 */
function captionParts({ eyebrow, sentence, why, lesson }, label, heading) {
	const place = label === "speaker.now" ? t("speaker.place", { step: shown.step, all: shown.steps - 1 }) : "";
	return [
		h(
			"p",
			{ key: "label", class: "speaker-label" },
			t(label),
			" ",
			h("span", null, [place, eyebrow].filter(Boolean).join(" · ")),
		),
		h(heading, { key: "sentence" }, sentence),
		why && h("p", { key: "why" }, why),
		lesson && h("p", { key: "lesson", class: "speaker-words" }, lesson),
	];
}

/**
 * A button that carries out a command.
 * @param {string} text @param {() => void} click @param {string} [more] of its class
 */
function commandButton(text, click, more = "") {
	return button(click, { key: text, class: `button ${more}` }, text);
}

/** The class's numbers and the buttons that lead it; [] without a class. @param {any} session */
function classParts(session) {
	if (!session) return [];
	const { code, students, answered, open, tally, paused, ended, lost } = session;
	const does = (/** @type {string} */ what) => () => post({ type: "class", what });
	const all = Math.max(answered, students);
	return [
		h(
			"p",
			{ key: "name" },
			h("b", null, t("class.name", { code })),
			" ",
			lost ? t("class.lost") : t("class.students", { n: students }),
		),
		ended && h("p", { key: "ended" }, t("class.ended")),
		open && h("p", { key: "answered", class: "speaker-answered" }, t("class.answered", { n: answered, all })),
		tally && h("p", { key: "tally", class: "speaker-answered" }, tally),
		!ended &&
			h(
				"p",
				{ key: "does", class: "buttons" },
				open && commandButton(t("class.reveal"), does("reveal"), "primary"),
				open && commandButton(t("class.skip"), does("skip")),
				commandButton(t(paused ? "speaker.unpause" : "class.pause"), does("pause")),
				commandButton(t("class.gather"), does("gather")),
			),
	];
}

/** The buttons that control the player. */
function buttons() {
	return [
		commandButton(`← ${t("speaker.back")}`, () => key("ArrowLeft")),
		commandButton(`${t("speaker.on")} →`, () => key("ArrowRight"), "primary"),
		commandButton(t(shown.playing ? "control.pause" : "control.play"), () => key(" ")),
		commandButton(t("speaker.attempt"), () => key("ArrowRight", true)),
	];
}

/** Steps to stop at, and those that have a note. @returns {Stop[]} */
function stops() {
	const noted = [...notes.kept].map(([step, text]) => ({ step, frame: 0, kind: "note", text }));
	return [...(shown.stops ?? []), ...noted].sort((a, b) => a.step - b.step);
}

/** One entry of the list of stops. @param {Stop} stop @param {number} i @param {Stop[]} all */
function stopRow(stop, i, all) {
	const after = all.slice(i + 1).find(({ step }) => step > stop.step);
	const now = stop.step <= shown.step && (!after || after.step > shown.step);
	const sign = t(`speaker.kind.${stop.kind}`);
	return h(
		"li",
		{ key: `${stop.kind}${i}`, class: `${stop.kind} ${now ? "now" : ""}`, "aria-current": now ? "step" : null },
		button(
			() => go(stop.step, stop.frame),
			null,
			h("span", { class: "when" }, String(stop.step)),
			h("span", { class: "text" }, stop.kind === "attempt" ? "" : h("b", null, `${sign}: `), stop.text),
		),
	);
}

/** Scrolls the list to the current step, and loads the step's picture after a short pause. */
function followStep() {
	if (followed === shown.step) return;
	followed = shown.step;
	region("stops").querySelector(".now")?.scrollIntoView({ block: "nearest" });
	clearTimeout(resting);
	resting = setTimeout(() => {
		const address = new URL(boot.picture, location.href);
		address.searchParams.set("step", shown.step);
		patch(region("picture"), [
			h("img", { key: "picture", src: address.href, alt: t("speaker.picture", { step: shown.step }) }),
		]);
	}, PICTURE_REST);
}

channel.onmessage = (/** @type {MessageEvent} */ { data }) => {
	if (data.type !== "shown") return;
	const own = new URL(data.address, location.href);
	if (own.pathname !== location.pathname || own.search !== location.search) {
		location.href = `${own.href}#${name}`; // the player went to another run
		return;
	}
	shown = data;
	draw();
	followStep();
};

document.addEventListener("keydown", (event) => {
	const target = /** @type {Element} */ (event.target);
	if (event.ctrlKey || event.metaKey || event.altKey || NOT_KEYS.has(event.key)) return;
	if (target.closest("input, textarea, select")) return;
	if ((event.key === "Enter" || event.key === " ") && target.closest("button, a")) return;
	event.preventDefault();
	key(event.key, event.shiftKey);
});

await loadCatalogue(boot.captions, boot.outside?.texts);
startClock(region("clock"), boot.language);
await notes.load();
post({ type: "hello" });
setTimeout(draw, SILENCE);
