// @ts-check
/** A student's page: the ordinary player, which follows the teacher, and a bar that says so. */

import { predictions } from "../learn/predictions.js";
import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { Asked } from "./asked.js";
import { Follow } from "./follow.js";
import { addressOf, ClassSocket } from "./socket.js";

/** @typedef {import("./begin.js").Page} Page */
/** @typedef {import("./socket.js").Board} Board */

/** @param {Page} page */
export function attend(page) {
	const { player, chosen, screen, redraw, boot } = page;
	/** @type {Board | null} */
	let board = null;
	let lost = false;
	let refused = "";
	const follow = new Follow(player, chose, show);
	const asked = new Asked(page, (act) => follow.led(act));
	predictions.turn(false, player); // in a class the teacher asks
	predictions.listen((what, { id }, choice) => {
		if (what === "picked") socket.say({ type: "answer", question: id, choice });
	});

	/** @param {import("./socket.js").Place} place */
	function chose({ order, selection }) {
		player.order = order;
		chosen.selection = selection;
		chosen.pin = null;
	}

	/** @param {Board} now @param {{mine: number | null} | null} hello */
	function take(now, hello) {
		const { id, counts } = now.asked;
		const back = board !== null && now.gathered > board.gathered;
		board = now;
		follow.held = now.paused || Boolean(id && !counts);
		if (!id && asked.now.id) predictions.turn(false, player);
		if (now.place.step !== undefined) follow.lead(/** @type {any} */ (now.place));
		const fresh = asked.take(now.asked, /** @type {any} */ (now.place));
		if (back || fresh) follow.catchUp();
		if (hello && id) remember(id, hello.mine);
		if (now.ended) end();
		show();
		redraw(false);
	}

	/** What was answered before the page was loaded again, or while there was no connection. */
	function remember(/** @type {string} */ id, /** @type {number | null} */ mine) {
		const pick = predictions.picks.get(id);
		if (pick === undefined && mine !== null) predictions.picks.set(id, mine);
		if (pick !== undefined && pick !== mine) socket.say({ type: "answer", question: id, choice: pick });
	}

	/** What was shown of a private scenario ends with the class. */
	function end() {
		follow.held = false;
		if (boot.scenario.private) location.reload();
	}

	const bar = /** @type {HTMLElement} */ (document.getElementById("class-bar"));
	function show() {
		patch(bar, barOf({ board, follow, asked, lost, refused }));
	}

	const socket = new ClassSocket(addressOf(boot.class.ws), boot.class.code, {
		board: take,
		message: (message) => {
			if (message.type === "error" && !message.again) refused = message.message;
			show();
		},
		connection: (now) => {
			lost = now;
			show();
		},
	});
	screen.followers.add((_, now) => {
		follow.drawn(now);
		show();
	});
	document.addEventListener("keydown", (event) => event.key === "q" && event.stopImmediatePropagation(), true);
	document.addEventListener("keydown", (event) => {
		const target = /** @type {Element} */ (event.target);
		if (event.key !== "c" || event.ctrlKey || event.metaKey || event.altKey) return;
		if (target.closest("input, textarea, select, dialog[open]")) return;
		if (follow.on) follow.set(false);
		else follow.catchUp();
		show();
	});
	socket.open();
	show();
}

/**
 * @param {{board: Board | null, follow: Follow, asked: Asked, lost: boolean, refused: string}} now
 * @returns {Child[]}
 */
function barOf({ board, follow, asked, lost, refused }) {
	const ended = board?.ended ?? false;
	const news = refused && !board ? refused : (!lost && !ended && questionOf(asked)) || stateOf(board, follow, lost);
	const toggle = h(
		"button",
		{
			key: "toggle",
			type: "button",
			class: follow.on ? "button" : "button primary",
			on: { click: () => (follow.on ? follow.set(false) : follow.catchUp()) },
		},
		t(follow.on ? "class.look.around" : "class.catch.up"),
		h("kbd", { "aria-hidden": "true" }, "c"),
	);
	return [
		h("p", { key: "news", class: `class-news ${follow.on && !lost && !ended ? "on" : ""}` }, news, distance(follow)),
		h("p", { key: "live", class: "sr", role: "status" }, news),
		board && !ended && toggle,
	];
}

/** @param {Board | null} board @param {Follow} follow @param {boolean} lost */
function stateOf(board, follow, lost) {
	if (board?.ended) return t("class.ended");
	if (lost) return t("class.lost");
	if (!board) return t("class.joining");
	if (!follow.place) return t("class.waiting");
	if (board.paused) return t(follow.on ? "class.paused" : "class.paused.away");
	return t(follow.on ? "class.following" : "class.away");
}

/** Of a question: that it is there, or how many were right. @param {Asked} asked */
function questionOf(asked) {
	if (asked.open) return t("class.question");
	return asked.tally ? t("class.right", { right: asked.tally[0], all: asked.tally[1] }) : "";
}

/** For the eye alone: it changes with each step. @param {Follow} follow */
function distance(follow) {
	const { behind } = follow;
	if (follow.on || !behind) return null;
	const text = t(behind > 0 ? "class.behind" : "class.ahead", { n: Math.abs(behind) });
	return h("span", { key: "distance", class: "class-distance", "aria-hidden": "true" }, ` ${text}`);
}
