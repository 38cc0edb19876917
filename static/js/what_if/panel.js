// @ts-check
/**
 * The "What if" panel beside the stage. It contains the question about an attempt (edits.js) and the server's answer,
 * and is drawn again when either, or the current step, changes.
 */

import { copy } from "../shared/copy.js";
import { button, h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { nameInKey } from "../shared/units.js";
import { changesView, weightsView } from "./changes.js";
import { apply, keyOf, nothingAsked } from "./edits.js";
import { budgetFields, nodeFields } from "./fields/node.js";
import { podFields } from "./fields/pod.js";
import { schedulerFields } from "./fields/scheduler.js";
import { Questions } from "./questions.js";
import { answerView, headline, markStage } from "./result.js";
import { changeWords, editsOf, triedState } from "./tried.js";

/** @typedef {import("./edits.js").Edit} Edit */
/** @typedef {import("./edits.js").Action} Action */
/** @typedef {import("./tried.js").Change} Change */
/** @typedef {"pod" | "node" | "scheduler" | "budgets" | "changes"} Tab */
/**
 * @typedef {{pod: string, manifest: any, profile: string, scores: {plugin: string, weight: number}[],
 *   filters: string[], budgets: any[], time: number}} About
 */

/** The tab that is shown first. @type {Record<string, Tab>} */
const KINDS = { node: "node", weigh: "scheduler", scheduler: "scheduler", changes: "changes" };
const TABS = /** @type {Tab[]} */ (["changes", "pod", "node", "scheduler", "budgets"]);

export class Panel {
	/** Whether the panel is hidden; it is while a number is only tried in place. */
	hidden = true;
	/** @type {Map<string, Change>} numbers tried in place, by id */
	tried = new Map();

	/** @param {View} view @param {() => void} closed */
	constructor(view, closed) {
		this.view = view;
		this.closed = closed;
		this.asked = nothingAsked(0);
		/** @type {Tab} */
		this.tab = "pod";
		this.node = "";
		this.weighed = "";
		this.questions = new Questions(view.boot.api, view.run.id, () => {
			if (this.tried.size && !this.asked.edits.length) this.putTried(); // the manifest has arrived
			this.draw();
			this.view.act.set({}); // updates the headline
		});
		this.root = document.createElement("aside");
		this.root.className = "ask";
		this.root.tabIndex = -1;
		this.root.setAttribute("aria-label", t("ask.title"));
		this.escape = (/** @type {KeyboardEvent} */ event) => {
			if (event.key === "Escape" && !document.querySelector("dialog[open]")) this.close();
		};
		document.addEventListener("keydown", this.escape);
	}

	/** Shows the panel, if it is hidden. */
	show() {
		if (!this.hidden) return;
		this.hidden = false;
		document.getElementById("main")?.append(this.root);
		document.body.classList.add("asking");
	}

	/** The facts about the attempt; null until they are loaded. @returns {About} */
	get about() {
		return /** @type {About} */ (this.questions.about);
	}

	/**
	 * Opens the panel for an attempt, at the tab of the selected object.
	 * @param {string} target "", "run", "changes", "scheduler", "pod:…", "node:…", "weigh:…"
	 */
	open(target) {
		this.show();
		const [, kind, name = ""] = /** @type {RegExpExecArray} */ (/^(\w*):?(.*)$/.exec(target));
		const attempt = attemptFor(this.view, kind === "pod" ? name : "");
		if (attempt !== this.asked.attempt) this.asked = nothingAsked(attempt);
		if (kind === "node" || kind === "weigh") this.node = name;
		this.node ||= [...this.view.state.nodes.keys()][0] ?? "";
		this.weighed = kind === "weigh" ? name : "";
		this.tab = KINDS[kind] ?? "pod";
		this.questions.setAttempt(attempt);
		this.questions.judge(this.asked.edits);
		if (this.weighed) void this.questions.loadWeights(this.weighed);
		if (this.tab === "changes") void this.questions.search();
		this.draw();
		this.root.focus();
	}

	/** Tries a number; the stage and the headline show the result. @param {Change} change */
	tryNumber(change) {
		const attempt = attemptFor(this.view, "");
		if (attempt !== this.asked.attempt) {
			this.asked = nothingAsked(attempt);
			this.tried.clear();
		}
		this.questions.setAttempt(attempt);
		const before = this.tried.get(change.id);
		if (before && this.about) this.drop(editsOf(before, this.about));
		if (change.to === change.value) this.tried.delete(change.id);
		else this.tried.set(change.id, change);
		if (this.hidden && !this.tried.size) return this.close();
		this.putTried();
		this.view.act.set({});
	}

	/** Adds the edits of all tried numbers to the question. */
	putTried() {
		const { about } = this;
		if (about && this.tried.size) this.put([...this.tried.values()].flatMap((change) => editsOf(change, about)));
	}

	/** The tried numbers that still apply; others may have been undone in the panel. */
	get trying() {
		const { about } = this;
		return [...this.tried.values()].filter(
			(change) =>
				!about || editsOf(change, about).every((edit) => JSON.stringify(this.editFor(edit)) === JSON.stringify(edit)),
		);
	}

	/** Removes the panel, and ends the question. */
	close() {
		markStage(this.view, null);
		document.removeEventListener("keydown", this.escape);
		this.root.remove();
		document.body.classList.remove("asking");
		this.questions.stop();
		this.closed();
		this.view.act.set({});
	}

	/**
	 * Handles a new view. At another step, a hidden panel is closed, and a question without edits is about its attempt.
	 * @param {View} view
	 */
	follow(view) {
		const moved = view.step !== this.view.step;
		this.view = view;
		if (moved && this.hidden) return this.close(); // the next step shows the run again
		if (moved && !this.asked.edits.length) {
			const attempt = attemptFor(view, "");
			if (attempt && attempt !== this.asked.attempt) {
				this.asked = nothingAsked(attempt);
				this.questions.setAttempt(attempt);
			}
		}
		this.draw();
	}

	/** Changes the question, and has the server judge it. @param {Action} action */
	apply(action) {
		const before = this.asked;
		this.asked = apply(before, action);
		if (this.asked === before) return;
		this.questions.judge(this.asked.edits);
		this.draw();
	}

	/** Adds edits to the question, in place of those of the same fields. @param {Edit[]} edits */
	put(edits) {
		this.apply({ type: "put", edits });
	}

	/** Removes edits from the question. @param {Edit[]} edits */
	drop(edits) {
		this.apply({ type: "drop", keys: edits.map(keyOf) });
	}

	/** The edit of the question that changes the same field; undefined if there is none. @param {Edit} edit */
	editFor(edit) {
		return this.asked.edits.find((other) => keyOf(other) === keyOf(edit));
	}

	/** Whether the question changes the field. @param {Edit} edit */
	has(edit) {
		return this.editFor(edit) !== undefined;
	}

	/**
	 * The keys that edits set below a path.
	 * @param {string} kind
	 * @param {(string | number)[]} path
	 * @param {string} [name]
	 */
	namesBelow(kind, path, name) {
		return this.asked.edits
			.filter((edit) => edit.kind === kind && (!name || edit.name === name))
			.map((edit) => edit.path ?? [])
			.filter((candidate) => candidate.length === path.length + 1 && path.every((part, i) => candidate[i] === part))
			.map((candidate) => String(candidate[path.length]));
	}

	/** Shows the fields of a node. @param {string} node */
	choose(node) {
		this.node = node;
		this.draw();
	}

	/** Shows a tab; that of the changes starts, or goes on with, the search. @param {Tab} tab */
	showTab(tab) {
		this.tab = tab;
		if (tab === "changes") void this.questions.search();
		this.draw();
	}

	/** Whether the result would reveal the answer of an open question about the run. */
	get revealsAnswer() {
		const { horizon, index } = this.view;
		const own = index.columns.find((column) => column.kind === "attempt" && column.attempt === this.asked.attempt);
		return horizon !== undefined && own?.kind === "attempt" && own.end >= horizon.question;
	}

	/** Whether the question is about the attempt on screen, and its outcome may be shown. */
	get onStage() {
		return this.view.state.attempt === this.asked.attempt && !this.revealsAnswer;
	}

	/** The view with the result of the what-if in place of the original. @param {View} view @returns {View} */
	withResult(view) {
		const { answer, judged, problem } = this.questions;
		if (view.state.attempt !== this.asked.attempt || this.revealsAnswer) return view;
		const { trying } = this;
		const tried = { values: new Map(trying.map(({ id, to }) => [id, to])), problem };
		const sure = judged.length ? answer : null;
		const staged = (/** @type {Parameters<View["moment"]>[0]} */ type) =>
			triedState(view.moment(type), view.subject, trying, sure);
		if (!sure) return { ...view, tried, staged };
		const eyebrow = trying.length === judged.length ? triedWords(view, trying) : [];
		return {
			...view,
			tried,
			staged,
			boot: { ...view.boot, lesson: { ...view.boot.lesson, captions: [] } }, // the lesson's captions are about the run
			own: view.own ?? view.caption,
			caption: { ...view.caption, ...headline(sure, eyebrow), folded: undefined },
		};
	}

	/** Draws the panel, and the changes in the picture. */
	draw() {
		const { questions, asked, revealsAnswer } = this;
		const { about } = questions;
		markStage(this.view, this.onStage ? questions.answer : null);
		if (this.hidden) return;
		if (revealsAnswer)
			return patch(this.root, [head(this), h("p", { key: "later", class: "ask-body note" }, t("ask.later"))]);
		patch(this.root, [
			head(this),
			h(
				"div",
				{ key: "body", class: "ask-body" },
				questions.ahead !== null &&
					h("p", { key: "ahead", class: "note", role: "status" }, t("busy.ahead", { n: questions.ahead })),
				questions.problem &&
					h(
						"p",
						{ key: "problem", class: "ask-problem", role: "alert" },
						questions.problem,
						questions.mayRetry && [" ", button(() => questions.retry(), { class: "link" }, t("retry"))],
					),
				!asked.attempt && h("p", { key: "none", class: "note" }, t("ask.noattempt")),
				answerView(this),
				keepView(this),
				about && tabs(this),
				about && h("div", { key: `tab-${this.tab}-${asked.attempt}`, class: "ask-tab", role: "tabpanel" }, body(this)),
			),
		]);
	}
}

/** The panel's head: its title and buttons. @param {Panel} panel */
function head(panel) {
	const { asked, about, view } = panel;
	const headButton = (/** @type {string} */ key, /** @type {boolean} */ off, /** @type {() => void} */ click) =>
		button(click, { key, class: "button", "aria-disabled": String(off) }, t(`ask.${key}`));
	return h(
		"header",
		{ key: "head", class: "ask-head" },
		h(
			"div",
			{ key: "title" },
			h("h2", null, t("ask.title")),
			about && h("p", { class: "note" }, t("ask.of", { pod: nameInKey(about.pod), n: asked.attempt })),
			asked.attempt > 0 &&
				view.state.attempt !== asked.attempt &&
				button(() => goTo(view, asked.attempt), { class: "link" }, t("ask.back")),
		),
		headButton("undo", !asked.past.length, () => panel.apply({ type: "undo" })),
		headButton("reset", !asked.edits.length, () => panel.apply({ type: "reset" })),
		button(() => panel.close(), { key: "close", class: "icon-button", "aria-label": t("close") }, "✕"),
	);
}

/**
 * "web requests 1 cpu instead of 1.2"; [] if nothing is tried.
 * @param {View} view @param {Change[]} trying @returns {Part[]}
 */
function triedWords(view, trying) {
	const words = trying.map(changeWords).map(({ key, values }) => t(key, { ...values, pod: nameInKey(view.subject) }));
	return words.length ? [`${t("ask.title")}${t("colon")}${words.join(t("list.comma"))}`] : [];
}

/** Goes to the beginning of an attempt. @param {View} view @param {number} attempt */
function goTo(view, attempt) {
	const column = view.index.columns.find((entry) => entry.kind === "attempt" && entry.attempt === attempt);
	if (column) view.act.seek(column.step);
}

/** The panel's tabs. @param {Panel} panel */
function tabs(panel) {
	const waits = !panel.questions.answer?.before.node;
	const shown = TABS.filter((tab) => (tab === "changes" ? waits : tab !== "budgets" || panel.about.budgets.length));
	return h(
		"div",
		{ key: "tabs", class: "ask-tabs", role: "tablist", "aria-label": t("ask.change") },
		shown.map((tab) =>
			button(
				() => panel.showTab(tab),
				{ key: tab, role: "tab", "aria-selected": String(panel.tab === tab) },
				t(`ask.tab.${tab}`),
			),
		),
	);
}

/** The content of the chosen tab. @param {Panel} panel @returns {Child} */
function body(panel) {
	switch (panel.tab) {
		case "changes":
			return changesView(panel);
		case "pod":
			return podFields(panel);
		case "node":
			return nodeFields(panel);
		case "scheduler":
			return [weightsView(panel), schedulerFields(panel)];
		case "budgets":
			return budgetFields(panel);
	}
}

/**
 * The attempt to ask about: the pod's, otherwise the one on screen or the first; at the end of the run, a pending
 * pod's. 0 if there is none.
 * @param {View} view
 * @param {string} pod
 */
function attemptFor(view, pod) {
	const attempts = view.index.columns.filter((column) => column.kind === "attempt");
	if (pod) {
		const own = attempts.filter((column) => column.pod === pod);
		return (own.findLast((column) => column.step <= view.step) ?? own[0])?.attempt ?? 0;
	}
	if (view.state.finished) {
		const waits = attempts.findLast(
			(column) => view.state.pods.get(column.pod)?.place !== "bound" && column.outcome !== "Scheduled",
		);
		if (waits) return waits.attempt;
	}
	return view.state.attempt || (attempts[0]?.attempt ?? 0);
}

/** @type {Panel | null} */
let openPanel = null;

/** The open panel, or a new one, with this view. @param {View} view */
function panelFor(view) {
	openPanel ??= new Panel(view, () => {
		openPanel = null;
	});
	openPanel.view = view;
	return openPanel;
}

/**
 * Opens the panel at an object or a tab; "" closes it if it is shown.
 * @param {View} view @param {string} target
 */
export function ask(view, target) {
	if (openPanel && !openPanel.hidden && !target) return openPanel.close();
	panelFor(view).open(target);
}

/** Tries a number of the arithmetic; null ends the what-if. @param {View} view @param {Change | null} change */
export function tryNumber(view, change) {
	if (change) panelFor(view).tryNumber(change);
	else openPanel?.close();
}

/** Passes a new view to the open panel. @param {View} view */
export function follow(view) {
	openPanel?.follow(view);
}

/** The view with the result of the open what-if, or the view itself. @param {View} view */
export function withResult(view) {
	return openPanel?.withResult(view) ?? view;
}

/**
 * The button that saves the question as a scenario, or the links to the saved one; null without an answered question.
 * @param {Panel} panel @returns {Child}
 */
function keepView(panel) {
	const { asked, questions, view } = panel;
	if (!questions.judged.length || !asked.edits.length || questions.problem) return null;
	const { kept } = questions;
	if (!kept) {
		return h(
			"p",
			{ key: "keep", class: "ask-keep" },
			button(() => void questions.keep(asked.edits), { class: "button primary" }, t("ask.keep")),
			h("small", { class: "note" }, t("ask.keep.about")),
		);
	}
	const { scenario } = view.boot;
	const link = new URL(kept.url, location.href).href;
	const kubernetes = new URLSearchParams(location.search).get("kubernetes");
	const releases = kubernetes ? `?first=${kubernetes}&second=${kubernetes}` : "";
	return h(
		"div",
		{ key: "kept", class: "ask-kept", role: "status" },
		h("p", null, t("ask.kept")),
		h(
			"label",
			null,
			t("ask.link"),
			h("input", {
				type: "text",
				readonly: true,
				value: link,
				on: { focus: (/** @type {any} */ event) => event.target.select() },
			}),
		),
		h(
			"p",
			{ class: "buttons" },
			h("a", { class: "button primary", href: kept.url }, t("ask.open")),
			button(
				({ target }) => copy(target, target.closest(".ask-kept").querySelector("input")),
				{ class: "button" },
				t("share.copy"),
			),
			h(
				"a",
				{ class: "button", href: `/compare/${scenario.id}/${scenario.version}/${kept.id}/${kept.version}/${releases}` },
				t("ask.compare"),
			),
		),
	);
}
