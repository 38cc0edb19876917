// @ts-check
/** The teacher's page: the ordinary player, which everyone follows, and a bar to lead by. */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { addressOf, ClassSocket } from "./socket.js";

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

	/** Another window of this teacher, or this page before it was loaded again. @param {Board} now @param {boolean} first */
	function meet(now, first) {
		const { step, frame = 0, order = "plugin", selection = null, by } = now.place;
		if (step === undefined || by === me) return;
		if (!first && board && now.place.step === board.place.step && now.place.frame === board.place.frame) return;
		player.order = order;
		chosen.selection = selection;
		player.seek(step, frame);
		last = JSON.stringify({ step, frame, order, selection });
	}

	/** @param {Board} now @param {boolean} hello */
	function take(now, hello) {
		const first = board === null;
		if (first || !hello) meet(now, first);
		board = now;
		if (hello && !first) last = ""; // what was sent meanwhile may be lost
		lead();
		show();
	}

	const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("class-code"));
	const bar = /** @type {HTMLElement} */ (document.getElementById("class-bar"));
	const say = (/** @type {string} */ type, /** @type {object} */ more = {}) => socket.say({ type, ...more });
	function show() {
		patch(bar, barOf());
	}

	/** @param {string} name @param {() => void} click @param {Record<string, any>} [more] */
	function button(name, click, more = {}) {
		return h("button", { key: name, type: "button", class: "tool", on: { click }, ...more }, t(`class.${name}`));
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
				"p",
				{ key: "count", class: "class-count" },
				lost ? t("class.lost") : t("class.students", { n: counts.students }),
			),
			h("p", { key: "live", class: "sr", role: "status" }, ended ? t("class.ended") : news),
			!ended && [
				button("pause", () => say("pause", { on: !paused }), { "aria-pressed": String(paused) }),
				button("gather", gather),
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
			h("a", { key: "csv", class: "tool", href: `/c/${code}/answers.csv`, download: "" }, t("class.csv")),
		];
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
	screen.followers.add(lead);
	socket.open();
	show();
	if (!boot.class.begun) dialog.showModal();
}
