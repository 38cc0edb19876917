// @ts-check
/**
 * The teacher's page: the ordinary player, which everyone follows (lead.js), and a bar with the controls of the class.
 */

import { predictions } from "../learn/predictions.js";
import { button, h, patch } from "../shared/dom.js";
import { has, t } from "../shared/i18n.js";
import { drawHistogram } from "./histogram.js";
import { Lead } from "./lead.js";
import { ClassSocket, socketAddress } from "./socket.js";
import { classHooks, openSpeaker } from "./speaking.js";
import { tallyText } from "./tally.js";

/** @typedef {import("./socket.js").Page} Page */

const ANNOUNCED_AFTER = 100; // ms, in which the place of announcements is empty
/** Keys for going forward, which also close the dialog with the class's code. */
const ON = new Set(["ArrowRight", "PageDown"]);

/** Leads a class: the pages of the students follow this one. @param {Page} page */
export function teach(page) {
	const { root, screen, boot } = page;
	const { code } = boot.class;
	let lost = false;
	let news = "";
	let asksToEnd = false;

	const lead = new Lead({ ...page, predictions }, (message) => socket.say(message));
	lead.foot = foot;
	addEventListener("pagehide", () => lead.sendBeforeLeaving());

	const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("class-code"));
	const here = /** @type {HTMLElement} */ (dialog.querySelector(".class-here"));
	const bar = /** @type {HTMLElement} */ (document.getElementById("class-bar"));
	const next = /** @type {HTMLFormElement | null} */ (document.getElementById("class-next"));
	root.addEventListener("click", (event) => {
		const onward = /** @type {Element} */ (event.target).closest(`.end-card a[href="${boot.place?.on}"]`);
		if (!onward || !next || lead.board?.ended) return;
		event.preventDefault(); // with all phones
		next.requestSubmit();
	});
	dialog.addEventListener("keydown", ({ key }) => ON.has(key) && dialog.close());
	/** Draws the bar of the class. */
	function show() {
		patch(bar, barOf());
		patch(here, [studentsText()]);
		classHooks.changed();
	}

	/** Returns the state of the class for the speaker view. */
	function report() {
		const { paused, board } = lead;
		const { students, answered } = lead.counted;
		const open = Boolean(predictions.open && !lead.counts);
		return {
			code,
			students,
			answered,
			open,
			tally: tallyText(lead.question, lead.counts),
			paused,
			ended: board?.ended ?? false,
			lost,
		};
	}

	/**
	 * A button that runs `click`, and draws the bar again.
	 * @param {string} name @param {() => void} click @param {Record<string, any>} [more]
	 */
	function action(name, click, more = {}) {
		return button(
			() => {
				click();
				show();
			},
			{ key: name, class: "tool", title: titleOf(name), ...more },
			t(`class.${name}`),
		);
	}

	/** The number of students, or that the connection is lost. */
	function studentsText() {
		return lost ? t("class.lost") : t("class.students", { n: lead.counted.students });
	}

	/** The content of the bar: the class, its counts, and the controls. @returns {Child[]} */
	function barOf() {
		const { paused } = lead;
		const ended = lead.board?.ended;
		return [
			button(
				() => dialog.showModal(),
				{ key: "code", class: "class-name", title: t("class.code") },
				t("class.name", { code }),
			),
			h(
				"div",
				{ key: "counts", class: "class-counts" },
				h("p", { class: "class-count" }, studentsText()),
				!ended && tallyLine(),
			),
			h("p", { key: "live", class: "sr", role: "status" }, ended ? t("class.ended") : news),
			!ended && [
				action("asks", () => lead.toggleAsking(), { "aria-pressed": String(predictions.on) }),
				action("pause", () => lead.pause(), { "aria-pressed": String(paused), "data-paused": paused }),
				action("gather", gather),
				action("speaker", () => openSpeaker(page)),
				asksToEnd
					? h(
							"span",
							{ key: "sure", class: "class-sure" },
							t("class.end.sure"),
							action("end.yes", () => lead.end(), { class: "button danger" }),
							action("end.no", toggleAskToEnd),
						)
					: action("end", toggleAskToEnd),
			],
			ended && [
				h("p", { key: "ended" }, t("class.ended")),
				h(
					"a",
					{ key: "csv", class: "tool", title: t("class.csv.title"), href: `/c/${code}/answers.csv`, download: "" },
					t("class.csv"),
				),
			],
		];
	}

	/**
	 * The line with the number of right answers: to the revealed question, or at the end of the run to all questions;
	 * null if there are none.
	 */
	function tallyLine() {
		const all = page.player.event?.type === "RunFinished" && lead.board?.tally?.[1] ? lead.board.tally : null;
		const now = tallyText(lead.question, lead.counts);
		const text = all ? t("class.result", { right: all[0], all: all[1] }) : now;
		return text && h("p", { class: "class-tally" }, text);
	}

	/** The number of students who have answered the open question, and of all, in words. */
	function answeredText() {
		return t("class.answered", { n: lead.answered, all: Math.max(lead.answered, lead.counted.students) });
	}

	/** The line below the open question: the number of answers, and the effect of the next key. @returns {Child[]} */
	function foot() {
		if (lead.counts) return [h("span", { key: "hint", role: "status" }, t("class.key.shows"))];
		const early = lead.warned === predictions.open?.id;
		return [
			h("b", { key: "answered", class: "class-answered" }, answeredText()),
			h("span", { key: "hint", role: "status" }, t(early ? "class.key.early" : "class.key.reveals")),
			action("skip", () => lead.skip(), { class: "button" }),
			action("reveal", () => lead.reveal(), { class: "button primary" }),
		];
	}

	/** Calls all students back to this page's step. */
	function gather() {
		lead.gather();
		announce(t("class.gathered"));
	}

	/** Announces a sentence, also if it is the same as before. @param {string} sentence */
	function announce(sentence) {
		news = "";
		show();
		setTimeout(() => {
			news = sentence;
			show();
		}, ANNOUNCED_AFTER);
	}

	/** Asks whether to end the class, or no longer. */
	function toggleAskToEnd() {
		asksToEnd = !asksToEnd;
	}

	const does = {
		reveal: () => lead.reveal(),
		skip: () => lead.skip(),
		gather,
		pause: () => lead.pause(),
	};
	Object.assign(classHooks, { report, does });
	const socket = new ClassSocket(socketAddress(boot.class.ws), code, {
		board: (board, hello) => {
			lead.take(board, hello !== null);
			show();
		},
		message: (message) => {
			if (message.type === "count") lead.count(message);
			if (message.type === "kept") lead.keep(message.n, message.number);
			if (message.type === "error") announce(message.message);
			if (predictions.open) page.redraw(false);
			show();
		},
		connection: (now) => {
			lost = now;
			show();
		},
	});
	screen.followers.add(() => {
		lead.drawn();
		drawHistogram(root, lead.question, lead.counts);
		show();
	});
	socket.open();
	show();
	if (!boot.class.begun) dialog.showModal();
}

/** The title of a control; null if it has none. @param {string} name */
function titleOf(name) {
	return has(`class.${name}.title`) ? t(`class.${name}.title`) : null;
}
