// @ts-check
/** A student's page: the ordinary player, which follows the teacher, and a bar with the state of the class. */

import { hint } from "../learn/choices.js";
import { predictions } from "../learn/predictions.js";
import { button, h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { Attendance } from "./attendance.js";
import { drawHistogram } from "./histogram.js";
import { ClassSocket, socketAddress } from "./socket.js";
import { tallyText } from "./tally.js";

/** @typedef {import("./socket.js").Page} Page */

/** Joins a class as a student: the page follows the teacher's. @param {Page} page */
export function attend(page) {
	const { root, screen, boot } = page;
	let lost = false;
	let refused = "";
	const attendance = new Attendance({ ...page, predictions }, (message) => socket.say(message), show);
	attendance.foot = foot;
	const { follow } = attendance;

	/** The hint below the open question. @param {import("../learn/questions.js").Question} open */
	function foot(open) {
		const text = attendance.tooLate === open.id ? t("class.late") : hint(predictions, open);
		return [h("span", { key: "hint", role: "status" }, attendance.takes ? text : t("class.over.answers"))];
	}

	/**
	 * After the end of a class, goes to the class of the next lesson; without one, reloads the page if its scenario is
	 * private, since the student may no longer see it.
	 * @param {string} next
	 */
	function end(next) {
		if (next) location.replace(boot.page.replace(boot.class.code, next));
		else if (boot.scenario.private) location.reload();
	}

	/** Draws the bar of the class. */
	function show() {
		const bar = /** @type {HTMLElement} */ (document.getElementById("class-bar"));
		patch(bar, barOf(attendance, lost, refused));
	}

	const socket = new ClassSocket(socketAddress(boot.class.ws), boot.class.code, {
		board: (board, hello) => {
			attendance.take(board, hello);
			if (board.ended) end(board.next ?? "");
			show();
		},
		message: (message) => {
			if (message.type === "answered" || message.type === "late") attendance.keep(message, message.type === "late");
			if (message.type === "error" && !message.again) refused = message.message;
			show();
		},
		connection: (now) => {
			lost = now;
			show();
		},
	});
	screen.followers.add((_, now) => {
		attendance.drawn(now);
		drawHistogram(root, attendance.question, attendance.counts);
		show();
	});
	document.addEventListener("keydown", (event) => event.key === "q" && event.stopImmediatePropagation(), true);
	document.addEventListener("keydown", (event) => {
		const target = /** @type {Element} */ (event.target);
		if (event.key !== "c" || event.ctrlKey || event.metaKey || event.altKey) return;
		if (target.closest("input, textarea, select, dialog[open]")) return;
		if (follow.on) follow.setFollowing(false);
		else follow.catchUp();
		show();
	});
	socket.open();
	show();
}

/**
 * The content of the bar: the state of the class, and the button that starts or stops following the teacher.
 * @param {Attendance} attendance @param {boolean} lost @param {string} refused @returns {Child[]}
 */
function barOf(attendance, lost, refused) {
	const { board, follow } = attendance;
	const ended = board?.ended ?? false;
	const news =
		refused && !board ? refused : (!lost && !ended && questionText(attendance)) || stateText(attendance, lost);
	const toggle = button(
		() => (follow.on ? follow.setFollowing(false) : follow.catchUp()),
		{ key: "toggle", class: follow.on ? "button" : "button primary" },
		t(follow.on ? "class.look.around" : "class.catch.up"),
		h("kbd", { "aria-hidden": "true" }, "c"),
	);
	return [
		board?.paused && !ended && h("p", { key: "paused", class: "class-paused", "data-paused": true }, t("class.paused")),
		h(
			"p",
			{ key: "news", class: `class-news ${follow.on && !lost && !ended ? "on" : ""}` },
			news,
			distanceNote(follow),
		),
		h("p", { key: "live", class: "sr", role: "status" }, board?.paused ? `${t("class.paused")}. ${news}` : news),
		board && !ended && toggle,
	];
}

/** The text about the class and the connection. @param {Attendance} attendance @param {boolean} lost */
function stateText({ board, follow }, lost) {
	if (board?.ended) return t("class.ended");
	if (lost) return t("class.lost");
	if (!board) return t("class.joining");
	if (!follow.place) return t("class.waiting");
	if (board.paused && !follow.on) return t("class.paused.away");
	return t(follow.on ? "class.following" : "class.away");
}

/**
 * The text about a question: it is open, it is answered, or how many answers were right; "" if no
 * counts are shown, or the student is at another step.
 * @param {Attendance} attendance
 */
function questionText({ isAsked, board, answers, counts, question }) {
	if (isAsked) return t(answers.has(board?.asked.id ?? "") ? "class.given" : "class.question");
	return tallyText(question, counts);
}

/**
 * The note with the distance to the teacher's step, which is not announced because it changes with each step; null if
 * there is none.
 * @param {import("./follow.js").Follow} follow
 */
function distanceNote(follow) {
	const { behind } = follow;
	if (follow.on || !behind) return null;
	const text = t(behind > 0 ? "class.behind" : "class.ahead", { n: Math.abs(behind) });
	return h("span", { key: "distance", class: "class-distance", "aria-hidden": "true" }, ` ${text}`);
}
