// @ts-check
/** The teacher's page: the ordinary player, which everyone follows, and a bar to lead by. */

import { predictions } from "../learn/predictions.js";
import { optionText, textOf } from "../learn/words.js";
import { h, patch } from "../shared/dom.js";
import { has, plain, t } from "../shared/i18n.js";
import { Asked } from "./asked.js";
import { addressOf, ClassSocket } from "./socket.js";
import { ofClass, openSpeaker } from "./speaking.js";

/** @typedef {import("./begin.js").Page} Page */
/** @typedef {import("./socket.js").Board} Board */

const SPACING = 110; // milliseconds between two places; the server keeps ten a second

/** @param {Page} page */
export function teach(page) {
	const { player, chosen, screen, boot } = page;
	const me = Math.random().toString(36).slice(2);
	const { code } = boot.class;
	/** @type {Board | null} */
	let board = null;
	let counts = { students: 0, answered: 0 };
	let lost = false;
	let news = "";
	let asksToEnd = false;
	let last = "";
	let due = 0;

	const asked = new Asked(page, (act) => act());
	predictions.turn(true, player);
	predictions.listen((what, question) => {
		if (what === "asked") say("ask", { question: question.id, choices: question.options.length });
	});

	/** The words are for the file of answers. */
	function reveal() {
		const { question } = asked;
		if (!question) return;
		const labels = question.options.map((option) => optionText(option, question));
		say("reveal", { right: question.right, text: plain(textOf(question)), labels });
	}

	/** Go on without an answer. */
	function skip() {
		say("ask");
		predictions.heldBy = "";
		predictions.skip();
		predictions.heldBy = "class";
	}

	/** Off the screen, once we have gone on. @param {View} now */
	function putAway(now) {
		const { question } = asked;
		if (!question || !board?.asked.id || board.asked.id !== asked.now.id) return;
		const shown = predictions.settled.has(question.id);
		const gone = now.step !== question.shown.step || now.frame < question.shown.frame;
		if (asked.now.counts ? shown && gone : !predictions.open) say("ask");
	}

	function place() {
		const { step, frame, order } = player;
		return { step, frame, order, selection: chosen.selection };
	}

	/** Tell where we are: at once, then at most every SPACING, and the last one always. */
	function lead() {
		const here = JSON.stringify(place());
		if (here === last || due || !board || board.ended) return;
		if (socket.say({ type: "place", ...place(), by: me })) last = here;
		due = setTimeout(() => {
			due = 0;
			lead();
		}, SPACING);
	}

	/** Another window, or this page before it was loaded again. @param {Board} now @param {boolean} first */
	function meet(now, first) {
		const { step, frame = 0, order = "plugin", selection = null, by } = now.place;
		if (step === undefined || by === me) return;
		if (!first && board && now.place.step === board.place.step && now.place.frame === board.place.frame) return;
		player.order = order;
		chosen.selection = selection;
		const { on } = predictions;
		predictions.turn(false, player); // no question on the way
		player.seek(step, frame);
		predictions.turn(on, player);
		last = JSON.stringify({ step, frame, order, selection });
	}

	/** @param {Board} now @param {boolean} hello */
	function take(now, hello) {
		const first = board === null;
		if (first || !hello) meet(now, first);
		board = now;
		asked.take(now.asked, first ? player : /** @type {any} */ (now.place));
		if (hello && !first) last = ""; // what was sent meanwhile may be lost
		lead();
		show();
	}

	const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("class-code"));
	const bar = /** @type {HTMLElement} */ (document.getElementById("class-bar"));
	const say = (/** @type {string} */ type, /** @type {object} */ more = {}) => socket.say({ type, ...more });
	function show() {
		patch(bar, barOf());
		ofClass.changed();
	}

	/** For the speaker view. */
	function told() {
		const { open, tally } = asked;
		const { paused = false, ended = false } = board ?? {};
		return { code, ...counts, open, right: tally, paused, ended, lost };
	}

	/** @param {string} name @param {() => void} click @param {Record<string, any>} [more] */
	function button(name, click, more = {}) {
		return h(
			"button",
			{ key: name, type: "button", class: "tool", title: titleOf(name), on: { click }, ...more },
			t(`class.${name}`),
		);
	}

	/** @returns {Child[]} */
	function barOf() {
		const ended = board?.ended;
		const paused = board?.paused ?? false;
		return [
			h(
				"button",
				{
					key: "code",
					type: "button",
					class: "class-name",
					title: t("class.code"),
					on: { click: () => dialog.showModal() },
				},
				t("class.name", { code }),
			),
			h(
				"div",
				{ key: "counts", class: "class-counts" },
				h("p", { class: "class-count" }, lost ? t("class.lost") : t("class.students", { n: counts.students })),
				!ended && tally(),
			),
			h("p", { key: "live", class: "sr", role: "status" }, ended ? t("class.ended") : news),
			!ended && question(),
			!ended && [
				button("asks", () => predictions.turn(!predictions.on, player), { "aria-pressed": String(predictions.on) }),
				button("pause", () => say("pause", { on: !paused }), { "aria-pressed": String(paused) }),
				button("gather", gather),
				button("speaker", () => openSpeaker(page)),
				asksToEnd
					? h(
							"span",
							{ key: "sure", class: "class-sure" },
							t("class.end.sure"),
							button("end.yes", () => say("end"), { class: "button danger" }),
							button("end.no", askToEnd),
						)
					: button("end", askToEnd),
			],
			ended && h("p", { key: "ended" }, t("class.ended")),
			h(
				"a",
				{ key: "csv", class: "tool", title: t("class.csv.title"), href: `/c/${code}/answers.csv`, download: "" },
				t("class.csv"),
			),
		];
	}

	/** Of the question on screen: how many have answered, then how many were right. */
	function tally() {
		const { answered, students } = counts;
		if (asked.tally) return h("p", { class: "class-tally" }, t("class.right", tallied(asked.tally)));
		const all = Math.max(answered, students);
		return asked.open && h("p", { class: "class-tally" }, t("class.answered", { n: answered, all }));
	}

	function question() {
		if (asked.tally || !asked.open) return null;
		return [button("reveal", reveal, { class: "button primary" }), button("skip", skip)];
	}

	function gather() {
		say("gather");
		news = t("class.gathered");
		show();
	}

	function askToEnd() {
		asksToEnd = !asksToEnd;
		show();
	}

	Object.assign(ofClass, { told, does: { reveal, skip, gather, pause: () => say("pause", { on: !board?.paused }) } });
	const socket = new ClassSocket(addressOf(boot.class.ws), code, {
		board: (now, hello) => take(now, hello !== null),
		message: (message) => {
			if (message.type === "count") counts = message;
			if (message.type === "error") news = message.message;
			show();
		},
		connection: (now) => {
			lost = now;
			show();
		},
	});
	screen.followers.add((_, view) => {
		lead();
		putAway(view);
	});
	socket.open();
	show();
	if (!boot.class.begun) dialog.showModal();
}

/** @param {[number, number]} tally */
function tallied([right, all]) {
	return { right, all };
}

/** What a short name means. @param {string} name */
function titleOf(name) {
	return has(`class.${name}.title`) ? t(`class.${name}.title`) : null;
}
