// @ts-check
/**
 * The editor page. One text, three sights of it: YAML, builder, cluster. What is typed is checked by the engine's own
 * parser, kept as a draft in this browser, saved as a new version, and run beside the text.
 */
import { Intake } from "../intake/dialog.js";
import { takeOver } from "../intake/handed_over.js";
import { comesIn } from "../intake/printed.js";
import { h, patch } from "../shared/dom.js";
import { t, useCatalogue } from "../shared/i18n.js";
import { get, post } from "../shared/server.js";
import { chooseText } from "./conflict.js";
import { draftOf } from "./draft.js";
import { builder } from "./form/builder.js";
import { clusterCard, pendingOf, startRows, waitingCard } from "./outcome/cluster_picture.js";
import { Outcome } from "./outcome/outcome.js";
import { releaseControl } from "./release.js";
import { yamlEditor } from "./text/yaml_editor.js";

const CHECK_AFTER = 350; // ms of not typing
const CHECK_AGAIN = 8000;
const PASTED = 200; // characters at once, which nobody types

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const page = element("editor");
const data = /** @type {Record<string, string>} */ (page.dataset);

const [catalogue, fields] = await Promise.all([get(data.texts), get(`${data.api}catalogue`)]);
useCatalogue(catalogue);

const draft = draftOf(data.scenario || `new.${data.from ?? ""}`, Number(data.version) || 0);
const saved = /** @type {HTMLTextAreaElement} */ (element("text")).value;
const found = draft.read();
if (found?.text === saved) draft.forget();
const kept = found?.text === saved ? null : found;
const state = {
	text: kept?.text ?? saved,
	version: kept?.version ?? (Number(data.version) || 0), // that the text was begun from
	/** @type {import("../shared/server.js").Problem[]} */ errors: [],
	/** @type {import("../shared/server.js").Problem[]} */ warnings: [],
	/** @type {{nodes: any[], pods: any[]}} */ summary: { nodes: [], pods: [] },
	drawn: false, // the summary is of this text, or of what it was before the last change
	status: "",
	checked: "",
	ran: "", // the text of the last run
	atEnd: true, // the picture shows how that run ended
	chosen: "", // the pod that waits at its end and of which nodes tell why
	conflict: 0, // the version that somebody saved meanwhile, until one of the two texts is chosen
	mine: "", // the text that gave way to that version
};

const socket = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${data.ws}`;
const outcome = new Outcome(socket, () => drawSide());
const editor = yamlEditor(element("yaml"), {
	text: state.text,
	label: t("editor.yaml"),
	catalogue: fields,
	fixLabel: t("editor.fix"),
	onChange: changed,
	onRun: () => run(),
});
const tables = builder(element("builder"), (text) => {
	editor.write(text);
	changed(text);
});

const drawRelease = releaseControl(
	{ choice: /** @type {HTMLSelectElement} */ (element("release")), note: element("lacks") },
	fields.releases,
	{
		read: () => state.text,
		write: (text) => put(text),
		say: (sentence) => {
			state.status = sentence;
			drawStatus();
		},
	},
);

/** @type {ReturnType<typeof setTimeout>} */
let timer;
/**
 * `data-checked` is there while the page shows what the server found in this very text.
 * @param {string} text
 * @param {string} [told] instead of keeping a draft
 */
function changed(text, told) {
	delete page.dataset.checked;
	if (text.length - state.text.length > PASTED && comesIn(text)) {
		// printed by a cluster, with all its secrets: neither sent nor kept before they are dropped
		clearTimeout(timer);
		editor.write(state.text);
		void intake.bring(new Blob([text]));
		return;
	}
	state.text = text;
	state.status = told ?? (draft.keep(text) ? t("editor.kept") : t("editor.notKept"));
	clearTimeout(timer);
	timer = setTimeout(check, CHECK_AFTER);
	drawStatus();
	drawSide();
}

async function check() {
	const text = state.text;
	drawRelease();
	try {
		const { status, body } = await post(`${data.api}check`, { text });
		if (text !== state.text) return;
		if (status === 429) return later(body.errors[0].message);
		Object.assign(state, { errors: body.errors ?? [], warnings: body.warnings ?? [], checked: text });
		if (body.summary && !state.errors.length) Object.assign(state, { summary: body.summary, drawn: true });
		editor.show(state.errors, state.warnings);
	} catch {
		state.status = t("editor.offline");
	}
	drawStatus();
	drawSide();
	if (state.checked === state.text) page.dataset.checked = "";
}

/** The server is asked too often: say so, and check again in a while. @param {string} sentence */
function later(sentence) {
	state.status = sentence;
	clearTimeout(timer);
	timer = setTimeout(check, CHECK_AGAIN);
	drawStatus();
}

function drawStatus() {
	const problem = state.errors[0] ?? state.warnings[0];
	patch(element("status"), [
		problem
			? h(
					"button",
					{ type: "button", class: state.errors.length ? "no" : "", on: { click: () => show(problem) } },
					h(
						"b",
						null,
						state.errors.length
							? `✕ ${t("editor.bad", { n: state.errors.length })}`
							: t("editor.warned", { n: state.warnings.length }),
					),
					` · ${inWords(problem)}`,
				)
			: h(
					"span",
					null,
					state.checked
						? `✓ ${t("editor.good", { nodes: state.summary.nodes.length, pods: state.summary.pods.length })}`
						: t("editor.checking"),
				),
		h(
			"span",
			{ class: state.conflict ? "no" : "muted" },
			state.status,
			state.conflict
				? [
						" ",
						h(
							"button",
							{ type: "button", on: { click: () => compare(true) } },
							t("conflict.compare", { version: state.conflict }),
						),
					]
				: null,
			state.mine && state.mine !== state.text
				? [" ", h("button", { type: "button", on: { click: () => put(state.mine) } }, t("conflict.back"))]
				: null,
		),
	]);
	for (const id of ["run", "save"]) /** @type {HTMLButtonElement} */ (element(id)).disabled = state.errors.length > 0;
}

/** A problem with its place. @param {import("../shared/server.js").Problem} problem */
function inWords({ document, line, path, message }) {
	const place = [document && t("editor.document", { document }), line && t("editor.line", { line }), path].filter(
		Boolean,
	);
	return place.length ? t("editor.at", { place: place.join(t("editor.comma")), message }) : message;
}

function drawSide() {
	patch(element("side"), [
		state.errors.length ? h("p", { class: "stale" }, t(state.drawn ? "editor.stale" : "editor.nothing")) : null,
		...(state.drawn ? clusterCards() : []),
		outcome.view(
			(step) => save(`#${step}`),
			() => post(`${data.api}runs/${outcome.run}/cancel`, {}),
			state.ran !== state.text,
		),
	]);
}

/** The cluster as it starts; once the text has run, also as it ends. */
function clusterCards() {
	const { nodes, pods } = state.summary;
	const pending = pendingOf(pods);
	const start = () => [
		clusterCard(startRows({ nodes, pods }), moments()),
		waitingCard(t("editor.toPlace", { n: pending.length }), pending),
	];
	if (!outcome.complete || state.ran !== state.text || !state.atEnd) return start();
	const waiting = outcome.ending.waiting();
	const chosen = (waiting.find((pod) => pod.pod === state.chosen) ?? waiting[0])?.pod ?? "";
	const refusal = outcome.ending.refusals.get(chosen);
	const choose = (/** @type {string} */ pod) => {
		state.chosen = pod;
		drawSide();
	};
	const note = refusal ? t("editor.lastAttempt", { pod: chosen.replace(/^default\//, ""), n: refusal.attempt }) : "";
	return [
		clusterCard(outcome.ending.rows(chosen), moments()),
		waitingCard(t("editor.leftWaiting", { n: waiting.length }), waiting, { chosen, choose, note }),
	];
}

/** Which of the two is shown; nothing to choose before the text has run. */
function moments() {
	if (!outcome.complete || state.ran !== state.text) return null;
	const button = (/** @type {boolean} */ atEnd) =>
		h(
			"button",
			{
				type: "button",
				"aria-pressed": String(state.atEnd === atEnd),
				on: {
					click: () => {
						state.atEnd = atEnd;
						drawSide();
					},
				},
			},
			t(atEnd ? "editor.atEnd" : "editor.atStart"),
		);
	return h(
		"div",
		{ class: "tabs moments", role: "group", "aria-label": t("editor.moments") },
		button(false),
		button(true),
	);
}

/** @param {import("../shared/server.js").Problem} problem */
function show(problem) {
	showTab("yaml");
	editor.goTo(problem);
}

/** @param {"yaml" | "builder"} name */
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

/** Run the text as it stands, without saving it. */
async function run() {
	await check();
	if (state.errors.length) return;
	const { body } = await post(`${data.api}preview`, { text: state.text });
	if (body.errors) return refused(body.errors);
	state.ran = state.text;
	state.atEnd = true;
	outcome.follow(body.run);
	drawSide();
	// below the text on a phone
	if (element("side").getBoundingClientRect().top > innerHeight / 2) element("side").scrollIntoView();
}

/** Save a new version and open it in the player. @param {string} [fragment] @returns {Promise<void>} */
async function save(fragment = "") {
	if (data.scenario && state.text === saved)
		return location.assign(`/s/${data.scenario}/v/${data.version}/${fragment}`);
	state.status = t("editor.saving");
	drawStatus();
	const { status, body } = data.scenario
		? await post(`${data.api}scenarios/${data.scenario}/versions`, { text: state.text, base: state.version || null })
		: await post(`${data.api}scenarios`, { text: state.text, fork_of: data.fork || null });
	if (status === 409) {
		state.version = state.conflict = body.version;
		state.status = t("editor.conflict", { version: body.version });
		drawStatus();
		return compare(true, fragment);
	}
	if (body.errors) return refused(body.errors);
	draft.forget();
	location.assign(body.url + fragment);
}

/**
 * Show what the version that was saved meanwhile has instead, and go on with the text that is chosen.
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
		changed(state.text);
		return saving ? save(fragment) : undefined;
	}
	state.mine = state.text;
	put(theirs, t("conflict.taken", { version })); // no draft: the one of what was typed here stays
}

/**
 * Another text, in the editor and in the builder.
 * @param {string} text
 * @param {string} [told] instead of keeping a draft
 */
function put(text, told) {
	editor.write(text);
	changed(text, told);
	redraw();
}

/** @param {import("../shared/server.js").Problem[]} errors */
function refused(errors) {
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
 * What the intake made of a dump; or a text that can be mended, which comes in as it is, with its errors under their
 * lines.
 * @param {import("../intake/dialog.js").Brought} brought
 */
async function take({ text, errors }) {
	state.drawn = false; // the cluster of another text
	put(text);
	state.status = errors.length ? t("editor.notImported") : t("editor.imported");
	await check();
}

/** The builder shows the text as it is now. */
function redraw() {
	if (!element("builder").hidden) tables.draw(state.text);
}

/** A field of the builder is being typed in: then undo is that field's own. */
let typing = false;

/** Undo and redo belong to the text, also where the builder has the focus. @param {KeyboardEvent} event */
function undoFromAnywhere(event) {
	if (!(event.ctrlKey || event.metaKey) || event.altKey || element("builder").hidden || typing) return;
	const key = event.key.toLowerCase();
	if (key !== "z" && key !== "y") return;
	event.preventDefault();
	if (key === "y" || event.shiftKey) editor.redo();
	else editor.undo();
	redraw();
}

/** Ctrl-Enter runs, as it does in the YAML. @param {KeyboardEvent} event */
function runFromAnywhere(event) {
	const field = /** @type {HTMLElement} */ (event.target);
	if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented || field.closest("dialog"))
		return;
	event.preventDefault();
	field.blur(); // what was typed counts
	field.focus();
	void run();
}

element("run").addEventListener("click", () => run());
element("save").addEventListener("click", () => save());
for (const name of /** @type {const} */ (["yaml", "builder"]))
	element(`tab-${name}`).addEventListener("click", () => showTab(name));
page.querySelector("[role=tablist]")?.addEventListener("keydown", (event) => {
	const { key } = /** @type {KeyboardEvent} */ (event);
	if (key !== "ArrowLeft" && key !== "ArrowRight") return;
	const next = element("yaml").hidden ? "yaml" : "builder";
	showTab(next);
	element(`tab-${next}`).focus();
});
const intake = new Intake({
	data,
	table: fields.reading,
	naming: fields.naming,
	take,
	inWords,
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
	put(saved);
	element("restored").hidden = true;
});
element("restored").hidden = state.text === saved;
if (kept && kept.version < Number(data.version)) state.conflict = Number(data.version);
element("older").hidden = !state.conflict;
element("compare").addEventListener("click", () => compare(false));
page.addEventListener("keydown", undoFromAnywhere);
page.addEventListener("keydown", runFromAnywhere);
for (const kind of ["input", "change", "focusin"])
	element("builder").addEventListener(kind, () => (typing = kind === "input"), true);
page.addEventListener("dragover", (event) => {
	event.preventDefault();
	page.classList.add("dropping");
});
page.addEventListener("dragleave", (event) =>
	page.classList.toggle("dropping", page.contains(/** @type {Node | null} */ (event.relatedTarget))),
);
page.addEventListener("drop", async (event) => {
	event.preventDefault();
	page.classList.remove("dropping");
	const file = event.dataTransfer?.files[0];
	if (file) await intake.bring(file);
});
for (const select of document.querySelectorAll("select[data-templates]")) {
	select.addEventListener("change", () => {
		const chosen = /** @type {HTMLSelectElement} */ (select);
		const text = `${state.text.trimEnd()}${state.text.trim() ? "\n---\n" : ""}${chosen.value}`;
		const line = state.text.trim() ? state.text.trimEnd().split("\n").length + 2 : 1;
		chosen.selectedIndex = 0;
		put(text);
		if (!element("yaml").hidden) editor.goTo({ line, message: "" });
	});
}
showTab(new URLSearchParams(location.search).has("builder") ? "builder" : "yaml");
const asked = new URLSearchParams(location.search);
if (asked.has("import")) intake.open();
page.dataset.ready = "true";
await check();
const dropped = asked.has("dropped") ? await takeOver() : null;
if (dropped) await intake.bring(dropped);
