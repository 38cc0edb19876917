// @ts-check
/**
 * The editor page: one text as YAML, as forms and as a picture of the cluster. The engine's own parser checks the text
 * while it is typed; it is kept as a draft in this browser, saved as a new version, and can be run beside the text.
 */
import { Intake } from "../intake/dialog.js";
import { takeOver } from "../intake/handed_over.js";
import { needsImport } from "../intake/printed.js";
import { button, h, patch } from "../shared/dom.js";
import { t, useCatalogue } from "../shared/i18n.js";
import { get, post } from "../shared/server.js";
import { Challenge } from "./challenge.js";
import { chooseText } from "./conflict.js";
import { draftOf } from "./draft.js";
import { builder } from "./form/builder.js";
import { acceptDrops, listenToKeys, listenToTabs, listenToTemplates } from "./input.js";
import { clusterCards } from "./outcome/cluster_picture.js";
import { Outcome } from "./outcome/outcome.js";
import { ruleValues } from "./outcome/rule_values.js";
import { releaseControl } from "./release.js";
import { yamlEditor } from "./text/yaml_editor.js";

const CHECK_AFTER = 350; // ms of not typing
const CHECK_AGAIN = 8000;
const SETTLED = 1500; // ms of not typing, after which the line under the cursor is checked, too
const BEGINNING = 200; // letters: a text that begins otherwise is not the imported one
const PASTED = 200; // characters added at once by pasting, not by typing

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @typedef {import("../shared/server.js").Problem} Problem */

const page = element("editor");
const data = /** @type {Record<string, string>} */ (page.dataset);

const [catalogue, fields] = await Promise.all([get(data.texts), get(`${data.api}catalogue`)]);
useCatalogue(catalogue);

const draft = draftOf(data.scenario || `new.${data.from ?? ""}`, Number(data.version) || 0);
const saved = /** @type {HTMLTextAreaElement} */ (element("text")).value;
const draftFound = draft.read();
if (draftFound?.text === saved) draft.forget();
const unsaved = draftFound?.text === saved ? null : draftFound;
const state = {
	text: unsaved?.text ?? saved,
	version: unsaved?.version ?? (Number(data.version) || 0), // on which the text is based
	/** @type {Problem[]} */ errors: [],
	/** @type {Problem[]} */ warnings: [],
	/** @type {Problem[]} */ notes: [], // about the whole text
	/** @type {Problem[]} */ held: [], // errors of the line that is being typed
	/** @type {{nodes: any[], pods: any[]}} */ summary: { nodes: [], pods: [] },
	/** @type {import("./outcome/rule_values.js").PodValues | null} */ rules: null,
	rulePod: "", // for which the rules are evaluated
	drawn: false, // whether there is a summary, of this text or of the text before the last change
	status: "",
	checked: "",
	ran: "", // the text of the last run
	atEnd: true, // the picture shows how that run ended
	chosen: "", // the pending pod whose rejections are shown
	conflict: 0, // the version that was saved elsewhere in the meantime, until one of the texts is chosen
	mine: "", // the text that was replaced by that version
	waiting: "", // what a request waits for
	upload: { id: "", text: "" }, // a text that a worker has read
};

const socket = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${data.ws}`;
const outcome = new Outcome(socket, () => drawSide());
const editor = yamlEditor(element("yaml"), {
	text: state.text,
	label: t("editor.yaml"),
	catalogue: fields,
	fixLabel: t("editor.fix"),
	onChange: takeChange,
	onRun: () => run(),
});
const tables = builder(element("builder"), (text) => {
	editor.write(text);
	takeChange(text);
});

const challengeSection = document.getElementById("challenge");
const challenge = challengeSection
	? new Challenge(challengeSection, {
			api: data.api,
			answer: async () => {
				if (state.checked !== state.text) await check();
				return state.errors.length ? null : state.text;
			},
			draw: () => {
				state.waiting = "";
				drawStatus();
				drawSide();
			},
			onWait: showWaiting,
			refuse: showRefusal,
		})
	: null;

const drawRelease = releaseControl(
	{ choice: /** @type {HTMLSelectElement} */ (element("release")), note: element("lacks") },
	fields.releases,
	{
		read: () => state.text,
		write: (text) => replaceText(text),
		say: (sentence) => {
			state.status = sentence;
			drawStatus();
		},
	},
);

/** @type {ReturnType<typeof setTimeout>} */
let timer;
let checking = new AbortController();
/** @type {ReturnType<typeof setTimeout>} */
let settling;
let typed = -SETTLED;
/**
 * Handles a changed text. `data-checked` is set while the page shows the server's results for the current text.
 * @param {string} text
 * @param {string} [message] instead of keeping a draft
 */
function takeChange(text, message) {
	delete page.dataset.checked;
	if (text.length - state.text.length > PASTED && needsImport(text)) {
		// printed by a cluster, with all its secrets: neither sent nor kept before they are dropped
		clearTimeout(timer);
		editor.write(state.text);
		void intake.bring(new Blob([text]));
		return;
	}
	if (text.slice(0, BEGINNING) !== state.text.slice(0, BEGINNING)) element("import-notes").hidden = true;
	typed = performance.now();
	state.text = text;
	const kept = message === undefined && draft.keep(text);
	if (kept && text !== state.upload.text) keepUpload("");
	state.status = message ?? (kept ? t("editor.kept") : t("editor.notKept"));
	clearTimeout(timer);
	timer = setTimeout(check, CHECK_AFTER);
	drawStatus();
	drawSide();
}

/**
 * Has the server check the text, and shows the problems and the summary.
 * @param {import("../shared/server.js").Checked | null} [result] the server's earlier result for this text
 */
async function check(result = null) {
	const text = state.text;
	clearTimeout(timer);
	checking.abort();
	checking = new AbortController();
	drawRelease();
	if (!text.trim()) return showEmpty();
	try {
		const options = { signal: checking.signal, onWait: showWaiting };
		const { status, body } = result
			? { status: 200, body: result }
			: await post(`${data.api}check`, { text, pod: state.rulePod }, options);
		state.waiting = "";
		if (text !== state.text) return;
		if (status === 0 || status === 429) return checkLater(body.errors[0].message);
		/** @type {Problem[]} */
		const all = body.warnings ?? [];
		const warnings = all.filter(({ line }) => line);
		const notes = all.filter(({ line }) => !line);
		Object.assign(state, { errors: body.errors ?? [], warnings, notes, checked: text });
		if (body.summary && !state.errors.length)
			Object.assign(state, { summary: body.summary, rules: body.rules ?? null, drawn: true });
		showProblems();
		if (!state.errors.length) editor.showMatches(body.selectors ?? []);
	} catch (error) {
		if (/** @type {Error} */ (error).name === "AbortError") return; // a newer text is checked
		throw error;
	}
	drawStatus();
	drawSide();
	if (state.checked === state.text) page.dataset.checked = "";
}

/** Shows the problems under their lines, but not under the line that is being typed. */
function showProblems() {
	clearTimeout(settling);
	const rest = typed + SETTLED - performance.now();
	const here = editor.lineOfCursor();
	state.held = state.errors.filter(({ line }) => rest > 0 && line === here);
	editor.show(
		state.errors.filter((problem) => !state.held.includes(problem)),
		state.warnings,
	);
	if (!state.held.length) return;
	settling = setTimeout(() => {
		showProblems();
		drawStatus();
	}, rest);
}

/** Shows that the text is empty. */
function showEmpty() {
	Object.assign(state, {
		errors: [],
		warnings: [],
		notes: [],
		held: [],
		checked: state.text,
		status: t("editor.empty"),
		drawn: false,
	});
	editor.show([], []);
	drawStatus();
	drawSide();
	page.dataset.checked = "";
}

/** Shows how many requests come first, or how much is done. @param {import("../shared/server.js").Waiting} waiting */
function showWaiting({ ahead, part }) {
	state.waiting = ahead === null ? t("wait.part", { percent: Math.floor(100 * part) }) : t("wait.ahead", { n: ahead });
	drawStatus();
}

/** Shows why the text could not be checked, and checks it again later. @param {string} sentence */
function checkLater(sentence) {
	state.status = sentence;
	clearTimeout(timer);
	timer = setTimeout(() => {
		if (state.status === sentence) state.status = "";
		void check();
	}, CHECK_AGAIN);
	drawStatus();
}

/** Draws the line about the text: its first problem or its size, what is waited for, and what happened last. */
function drawStatus() {
	const errors = state.errors.filter((error) => !state.held.includes(error));
	const problem = errors[0] ?? state.warnings[0];
	const problems = [
		errors.length && `✕ ${t("editor.bad", { n: errors.length })}`,
		state.warnings.length && t("editor.warned", { n: state.warnings.length }),
	];
	patch(element("status"), [
		problem
			? button(
					() => show(problem),
					{ class: errors.length ? "no" : "" },
					h("b", null, problems.filter(Boolean).join(" · ")),
					` · ${problemText(problem)}`,
				)
			: h(
					"span",
					null,
					state.checked && !state.held.length
						? [
								`✓ ${t("editor.good", { nodes: state.summary.nodes.length, pods: state.summary.pods.length })}`,
								...state.notes.map(({ message }) => message),
							].join(" ")
						: t("editor.checking"),
				),
		state.waiting ? h("span", { class: "waiting" }, state.waiting) : null,
		h(
			"span",
			{ class: state.conflict ? "no" : "muted" },
			state.status,
			state.conflict
				? [" ", button(() => compare(true), null, t("conflict.compare", { version: state.conflict }))]
				: null,
			state.mine && state.mine !== state.text
				? [" ", button(() => replaceText(state.mine), null, t("conflict.back"))]
				: null,
		),
	]);
	for (const id of ["run", "save"]) /** @type {HTMLButtonElement} */ (element(id)).disabled = state.errors.length > 0;
}

/** The message of a problem, with its place in the text. @param {import("../shared/server.js").Problem} problem */
function problemText({ document, line, path, message }) {
	const place = [document && t("editor.document", { document }), line && t("editor.line", { line }), path].filter(
		Boolean,
	);
	return place.length ? t("editor.at", { place: place.join(t("editor.comma")), message }) : message;
}

/** Draws the cards beside the text. */
function drawSide() {
	patch(element("side"), [
		challenge ? challenge.view(state.text) : null,
		state.errors.length ? h("p", { class: "stale" }, t(state.drawn ? "editor.stale" : "editor.nothing")) : null,
		state.drawn && state.rules ? ruleValues(state.rules, chooseRulePod) : null,
		...(state.drawn ? clusterCards(state, outcome, drawSide) : []),
		outcome.view((step) => save(`#${step}`), stop, state.ran !== state.text),
	]);
}

/** Evaluates the rules for another pod. @param {string} pod */
function chooseRulePod(pod) {
	state.rulePod = pod;
	delete page.dataset.checked;
	void check();
}

/** Goes to a problem in the text. @param {import("../shared/server.js").Problem} problem */
function show(problem) {
	showTab("yaml");
	editor.goTo(problem);
}

/** Shows the text or the builder. @param {"yaml" | "builder"} name */
function showTab(name) {
	for (const tab of page.querySelectorAll("[role=tab]")) {
		const chosen = tab.id === `tab-${name}`;
		tab.setAttribute("aria-selected", String(chosen));
		/** @type {HTMLElement} */ (tab).tabIndex = chosen ? 0 : -1;
	}
	element("yaml").hidden = name !== "yaml";
	element("builder").hidden = name !== "builder";
	if (name === "builder") tables.draw(state.text);
}

/** Runs the current text without saving it; does nothing if it has errors. */
async function run() {
	if (state.checked !== state.text) await check();
	if (state.errors.length) return;
	const { body } = await post(`${data.api}preview`, { text: state.text }, { onWait: showWaiting });
	state.waiting = "";
	if (body.errors) return showRefusal(body.errors);
	state.ran = state.text;
	state.atEnd = true;
	outcome.follow(body.run);
	drawSide();
	// below the text on a phone
	if (element("side").getBoundingClientRect().top > innerHeight / 2) element("side").scrollIntoView();
}

/** Cancels the run. */
async function stop() {
	const { body } = await post(`${data.api}runs/${outcome.run}/cancel`, {});
	if (body.errors) showRefusal(body.errors);
}

/**
 * Saves a new version, if the text has changed, and opens it in the player.
 * @param {string} [fragment] @returns {Promise<void>}
 */
async function save(fragment = "") {
	if (data.scenario && state.text === saved)
		return location.assign(`/s/${data.scenario}/v/${data.version}/${fragment}`);
	state.status = t("editor.saving");
	drawStatus();
	const text = state.upload.text === state.text ? { upload: state.upload.id } : { text: state.text };
	const options = { onWait: showWaiting, onAccepted: keepUpload };
	const { status, body } = data.scenario
		? await post(`${data.api}scenarios/${data.scenario}/versions`, { ...text, base: state.version || null }, options)
		: await post(`${data.api}scenarios`, { ...text, fork_of: data.fork || null }, options);
	state.waiting = "";
	if (status === 409) {
		state.version = state.conflict = body.version;
		state.status = t("editor.conflict", { version: body.version });
		drawStatus();
		return compare(true, fragment);
	}
	if (body.errors) return showRefusal(body.errors);
	draft.forget();
	location.assign(body.url + fragment);
}

/**
 * Compares the text with the version that was saved in the meantime, and continues with the chosen text.
 * @param {boolean} saving
 * @param {string} [fragment]
 * @returns {Promise<void>}
 */
async function compare(saving, fragment) {
	const version = state.conflict;
	const { choice, theirs } = await chooseText(/** @type {HTMLDialogElement} */ (element("conflict")), {
		address: `${data.api}scenarios/${data.scenario}/versions/${version}/compare`,
		file: `/s/${data.scenario}/v/${version}/scenario.yaml`,
		version,
		text: state.text,
		saving,
	});
	if (!choice) return;
	element("restored").hidden = true;
	state.conflict = 0;
	state.version = version;
	draft.rebase(version);
	if (choice === "mine") {
		takeChange(state.text);
		return saving ? save(fragment) : undefined;
	}
	state.mine = state.text;
	replaceText(theirs, t("conflict.taken", { version })); // keeps the draft of the author's own text
}

/**
 * Replaces the text in the editor and in the builder.
 * @param {string} text
 * @param {string} [message] instead of keeping a draft
 */
function replaceText(text, message) {
	editor.write(text);
	takeChange(text, message);
	redraw();
}

/**
 * Shows why the server refused a request: under the lines of the text, or in the status if no error names a line.
 * @param {import("../shared/server.js").Problem[]} errors
 */
function showRefusal(errors) {
	state.waiting = "";
	if (!errors.some((problem) => problem.line)) {
		// about the request, not about the text
		state.status = errors.map((problem) => problem.message).join(" ");
		return drawStatus();
	}
	state.errors = errors;
	state.status = t("editor.kept");
	editor.show(errors, state.warnings);
	drawStatus();
}

/**
 * Takes over the scenario made from a dump, or a text with errors that can be corrected, with its errors under their
 * lines.
 * @param {import("../intake/dialog.js").Brought} brought
 */
async function takeImport({ text, errors, checked, upload }) {
	Object.assign(state, { drawn: false, checked: "", errors: [], warnings: [] }); // they belong to another text
	state.upload = upload ? { id: upload, text } : { id: "", text: "" };
	replaceText(text);
	state.status = errors.length ? t("editor.notImported") : t("editor.imported");
	await check(checked);
}

/**
 * Puts the upload in progress into the address, so that it continues when the page is reloaded.
 * @param {string} upload "": there is none
 */
function keepUpload(upload) {
	const url = new URL(location.href);
	for (const name of ["dropped", "import", "upload"]) url.searchParams.delete(name);
	if (upload) url.searchParams.set("upload", upload);
	history.replaceState(null, "", url);
}

/** Updates the builder if it is shown. */
function redraw() {
	if (!element("builder").hidden) tables.draw(state.text);
}

element("run").addEventListener("click", () => run());
element("save").addEventListener("click", () => save());
const intake = new Intake({
	data,
	table: fields.reading,
	naming: fields.naming,
	take: takeImport,
	inWords: problemText,
	keep: keepUpload,
	say: (sentence) => {
		state.status = sentence;
		drawStatus();
	},
});
element("open-import").addEventListener("click", () => intake.open());
element("discard").addEventListener("click", () => {
	draft.forget();
	state.version = Number(data.version) || 0;
	state.conflict = 0;
	replaceText(saved);
	element("restored").hidden = true;
});
element("restored").hidden = state.text === saved;
if (unsaved && unsaved.version < Number(data.version)) state.conflict = Number(data.version);
element("older").hidden = !state.conflict;
element("compare").addEventListener("click", () => compare(false));
listenToTabs(page, showTab);
listenToKeys(page, { editor, run, redraw });
acceptDrops(page, (file) => intake.bring(file));
listenToTemplates((part) => {
	const before = state.text.trimEnd();
	replaceText(before ? `${before}\n---\n${part}` : part);
	if (!element("yaml").hidden) editor.goTo({ line: before ? before.split("\n").length + 2 : 1, message: "" });
});
const parameters = new URLSearchParams(location.search);
showTab(parameters.has("builder") ? "builder" : "yaml");
if (parameters.has("import")) intake.open();
page.dataset.ready = "true";
const unfinished = parameters.get("upload");
await (unfinished ? intake.resume(unfinished) : check());
if (state.checked !== state.text) await check(); // the upload had no result
const dropped = parameters.has("dropped") ? await takeOver() : null;
if (dropped) await intake.bring(dropped);
