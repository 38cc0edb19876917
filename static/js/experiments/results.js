// @ts-check
/** The page of an experiment: polls for results, draws and lists them, and opens any run in the player. */
import { button, h, patch } from "../shared/dom.js";
import { t, useCatalogue } from "../shared/i18n.js";
import { get, post, request } from "../shared/server.js";
import { firstChoice, isSingle, MAX_BOXES, pointsOf } from "./rows.js";
import { tables } from "./tables.js";

const ASK_AFTER = 1500; // ms
const FULL_ANSWER = 5000; // results: after as many, more are waiting
const MANY = 3000; // dots: drawing more takes too long to repeat for a few new ones
const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const page = element("results");
const boot = JSON.parse(element("boot").textContent ?? "{}");
const address = `${boot.api}experiments/${boot.id}`;

const state = {
	/** @type {Map<number, import("./rows.js").Result>} */ results: new Map(),
	state: boot.state,
	done: boot.done,
	failed: boot.failed,
	error: boot.error,
	forgotten: boot.forgotten,
	next: 0,
	factor: 0,
	measure: 0,
	sure: false, // whether factor and measure were chosen, or the measure differs
	highest: true, // whether the highest runs are listed first
	trouble: "",
};
/** @type {typeof import("./drawing.js") | null} */
let drawing = null;
let drawn = { contents: "", size: 0 }; // what the drawing shows; it is drawn again only if this changes

/** Stores the results of an answer. @param {any} answer */
function storeAnswer(answer) {
	for (const result of answer.results) state.results.set(result.run, result);
	Object.assign(state, { state: answer.state, done: answer.done, failed: answer.failed, error: answer.error });
	state.next = answer.next;
}

/** Whether the experiment has ended. */
const ended = () => state.state !== "running";

/** Requests the results until the experiment has ended. */
async function pollResults() {
	for (;;) {
		try {
			const before = state.results.size;
			const answer = await get(`${address}/results?after=${state.next}`);
			storeAnswer(answer);
			state.trouble = "";
			const added = state.results.size - before;
			if (ended() && !answer.results.length) {
				if (state.results.size >= state.done) break;
				state.next = 0; // two workers wrote at the same moment: read all results again
			}
			draw();
			if (added >= FULL_ANSWER) continue;
		} catch {
			state.trouble = t("unreachable");
			draw();
		}
		await new Promise((resolve) => setTimeout(resolve, document.hidden ? 4 * ASK_AFTER : ASK_AFTER));
	}
	draw();
	page.dataset.ready = "ended";
}

/**
 * Sends a command to the experiment, and returns whether it was accepted; if not, the reason is shown when the page is
 * drawn.
 * @param {string} path @param {string} [method]
 */
async function sendCommand(path, method = "POST") {
	const token = /** @type {HTMLInputElement} */ (page.querySelector("input[name=csrfmiddlewaretoken]")).value;
	const { body } = await (method === "POST"
		? post(`${address}${path}`, {})
		: request(address, { method, headers: { "X-CSRFToken": token } }));
	state.trouble = body.errors ? (body.detail ?? body.errors[0].message) : "";
	return !body.errors;
}

/** Opens one run of the experiment in the player. @param {number} run */
async function open(run) {
	const opening = element("opening");
	opening.textContent = t("opening", { n: run });
	/** @param {import("../shared/server.js").Waiting} waiting */
	const onWait = ({ ahead }) => {
		if (ahead !== null) opening.textContent = t("busy.ahead", { n: ahead });
	};
	const { body } = await post(`${address}/runs/${run}`, {}, { onWait });
	if (!body.errors) return location.assign(body.url);
	opening.textContent = body.detail ?? body.errors[0].message;
}

/** The sentence about the progress. */
function progressSentence() {
	const size = boot.size.toLocaleString();
	const done = state.done.toLocaleString();
	if (state.trouble) return state.trouble;
	if (state.forgotten) return t("forgotten");
	if (state.state === "running") return state.done ? t("under.way", { done, size }) : t("waiting");
	if (state.state === "failed") return t("ended", { done, size, why: state.error });
	return t(state.state === "done" ? "done" : "cancelled", { done, size });
}

/** Draws the progress of the experiment, and the buttons for it. */
function drawProgress() {
	const command = (/** @type {string} */ key, /** @type {() => void} */ click, kind = "") =>
		button(click, { key, class: `button ${kind}` }, t(key));
	const going = state.state === "running";
	const begin = async () => {
		if (await sendCommand("/again")) location.reload();
		else draw();
	};
	const cancel = async () => {
		await sendCommand("/cancel");
		draw();
	};
	const remove = async () => {
		if (confirm(t("remove.sure")) && (await sendCommand("", "DELETE"))) {
			location.assign(`/s/${boot.scenario.id}/v/${boot.scenario.version}/experiments/`);
		} else draw();
	};
	patch(element("progress"), [
		h("p", { role: "status", class: state.trouble ? "no" : "" }, progressSentence()),
		h("progress", {
			max: boot.size,
			value: state.done,
			"aria-label": t("progress", { done: state.done, size: boot.size }),
			hidden: !going,
		}),
		h(
			"div",
			{ class: "actions" },
			boot.may_change && going && command("cancel", cancel),
			boot.may_change && !going && (state.forgotten || state.state !== "done") && command("again", begin),
			state.results.size > 0 && h("a", { class: "button", href: `${address}/results.csv` }, t("csv")),
			boot.may_change && !going && command("remove", remove, "danger"),
		),
	]);
}

/**
 * A list to choose from.
 * @param {string} id @param {string[]} names @param {number} chosen @param {(at: number) => void} onChoice
 */
function selectField(id, names, chosen, onChoice) {
	const change = (/** @type {any} */ event) => onChoice(Number(event.target.value));
	return h(
		"label",
		{ key: id, class: "choice" },
		h("span", null, t(id)),
		h(
			"select",
			{ id, on: { change } },
			names.map((name, at) => h("option", { key: String(at), value: String(at), selected: at === chosen }, name)),
		),
	);
}

/** Stores the user's choice, and draws. @param {{factor?: number, measure?: number}} chosen */
function choose(chosen) {
	Object.assign(state, chosen, { sure: true });
	draw();
}

/** Draws the lists from which the measure and the factor are chosen. */
function drawControls() {
	const measures = boot.measures.map((/** @type {string} */ name) => boot.names[name]);
	const factors = boot.levels.map((/** @type {any} */ level) => level.name);
	patch(element("controls"), [
		h(
			"div",
			{ class: "choices" },
			selectField("measure", measures, state.measure, (at) => choose({ measure: at })),
			selectField("factor", factors, state.factor, (at) => choose({ factor: at })),
		),
	]);
}

/** Draws the figure, unless it would be the same, or have only few new dots among many. */
async function drawPlot() {
	const target = element("drawing");
	const width = Math.round(target.clientWidth || 800);
	const same = ended() && state.results.size > 1 && !firstChoice(boot.levels, state.results, boot.measures).sure;
	const contents = `${state.factor} ${state.measure} ${width} ${same}`;
	const fresh = state.results.size - drawn.size;
	const few = !ended() && state.results.size > MANY && fresh < drawn.size / 4;
	if (contents === drawn.contents && (!fresh || few)) return;
	drawn = { contents, size: state.results.size };
	drawing ??= await import("./drawing.js");
	const { name, labels } = boot.levels[state.factor];
	const measure = boot.names[boot.measures[state.measure]];
	const points = pointsOf(state.results, boot.levels, state.factor, state.measure);
	const share = boot.shares.includes(boot.measures[state.measure]);
	const label = t("plot.label", { measure, factor: name });
	const figure = drawing.drawFigure({ points, labels, factor: name, measure, share, width, label });
	figure.addEventListener("click", () => figure.value && open(figure.value.run));
	const single = isSingle(points);
	const hints = single ? [t("plot.bars")] : [t(labels.length <= MAX_BOXES ? "plot.box" : "plot.dots"), t("plot.click")];
	const about = h("p", { key: "about", class: "small muted" }, hints.join(" "));
	const alike = same && h("p", { key: "alike" }, t("plot.alike"));
	patch(target, [alike, h("div", { key: "figure", opaque: true, class: "figure card" }), about]);
	/** @type {Element} */ (target.querySelector(".figure")).replaceChildren(figure);
	page.dataset.drawn = String(points.length);
}

/** Draws the page. */
function draw() {
	drawProgress();
	if (!state.results.size) return;
	if (!state.sure) Object.assign(state, firstChoice(boot.levels, state.results, boot.measures));
	drawControls();
	drawPlot();
	const turn = () => {
		state.highest = !state.highest;
		draw();
	};
	patch(element("tables"), tables({ ...state, boot }, open, turn));
}

useCatalogue(await get(page.dataset.texts ?? ""));
draw();
addEventListener("resize", () => state.results.size && drawPlot());
if (!state.forgotten) pollResults();
else page.dataset.ready = "ended";
