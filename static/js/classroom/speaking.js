// @ts-check
/**
 * The channel between the player and the speaker view, a second window of this browser (pages/speaker.js).
 * They find each other by a name that this tab keeps: the view goes on when the player is loaded again, or becomes a
 * class.
 */

import { textOf } from "../learn/choices.js";
import { predictions } from "../learn/predictions.js";
import { plain } from "../shared/i18n.js";
import { captionOf } from "../steps/registry.js";
import { Stops } from "./stops.js";

/** @typedef {import("./socket.js").Page} Page */
/** @typedef {{eyebrow: string, sentence: string, why: string, lesson: string}} CaptionTexts */
/**
 * @typedef {{code: string, students: number, answered: number, open: boolean, paused: boolean,
 *   tally: string, ended: boolean, lost: boolean}} ClassReport
 */

const KEPT = "kschedui.speaker";
const SPACING = 100; // milliseconds between two messages
const WINDOW = "popup,width=1040,height=760";

/** Hooks that a class sets on its teacher's page. */
export const classHooks = {
	/** @type {() => ClassReport | null} */
	report: () => null,
	/** The commands of the speaker view for the class, by name. @type {Record<string, () => void>} */
	does: {},
	/** Called when the speaker view may have something new to show. */
	changed: () => {},
};

/** @type {Page | null} */
let page = null;
/** @type {BroadcastChannel | null} */
let channel = null;
/** @type {Stops | null} */
let stops = null;
let due = 0;
/** This tab's name where it cannot be stored; "" before it has one. */
let unstoredName = "";

/** Prepares the channel, and continues with a speaker view that is already open. @param {Page} opened */
export function beginSpeaking(opened) {
	if (page) return;
	page = opened;
	stops = new Stops(page.store, page.boot.lesson ?? {});
	if (speakerName() && speakerAddress()) listen();
}

/** Opens the speaker view. @param {Page} opened */
export function openSpeaker(opened) {
	if (!page) beginSpeaking(opened);
	const address = speakerAddress();
	if (!address) return;
	if (!speakerName()) nameTab(Math.random().toString(36).slice(2));
	listen();
	window.open(`${address}#${speakerName()}`, `speaker-${speakerName()}`, WINDOW);
}

/** Gives this tab a name; without storage, until the page is loaded again. @param {string} name */
function nameTab(name) {
	try {
		sessionStorage.setItem(KEPT, name);
	} catch {
		unstoredName = name;
	}
}

/** This tab's name; "" before it has one. */
function speakerName() {
	try {
		return sessionStorage.getItem(KEPT) ?? unstoredName;
	} catch {
		return unstoredName;
	}
}

/** The address of the speaker view; "" if the page has no scenario, as for students. */
function speakerAddress() {
	const { boot } = /** @type {Page} */ (page);
	if (!boot.scenario?.id) return "";
	const own = new URL(boot.class?.page ?? boot.page, location.href);
	return `${own.pathname}speaker${own.search}`;
}

/** Opens the channel to the speaker view, unless it is open. */
function listen() {
	if (channel || !page) return;
	channel = new BroadcastChannel(`${KEPT}.${speakerName()}`);
	channel.onmessage = ({ data }) => runCommand(data);
	classHooks.changed = sendStateSoon;
	page.screen.followers.add(sendStateSoon);
	sendStateSoon();
}

/** Carries out a command of the speaker view. @param {any} message */
function runCommand(message) {
	const { player } = /** @type {Page} */ (page);
	if (message.type === "go") {
		player.playing = false;
		player.seek(message.step, message.frame);
	}
	if (message.type === "key") {
		const { key, shiftKey } = message;
		document.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, cancelable: true }));
	}
	if (message.type === "class") classHooks.does[message.what]?.();
	if (document.hidden) setTimeout(() => player.onAnimationFrame(performance.now())); // hidden windows are not drawn
	sendStateSoon();
}

/** Sends the state a moment later, since several things change at once. */
function sendStateSoon() {
	if (due) return;
	due = setTimeout(() => {
		due = 0;
		sendState();
	}, SPACING);
}

/** Sends the place, the captions now and next, the stops and the state of the class to the speaker view. */
function sendState() {
	const { root, screen, store, index, boot, player } = /** @type {Page} */ (page);
	const view = screen.drawn;
	if (!view) return;
	channel?.postMessage({
		type: "shown",
		address: speakerAddress(),
		step: view.step,
		frame: view.frame,
		steps: store.steps,
		playing: player.playing,
		now: { ...textsOf(view), lesson: root.querySelector("#caption .lesson")?.textContent ?? "" },
		next: nextCaption(view),
		stops: stops?.list(index),
		class: boot.class ? classHooks.report() : null,
	});
}

/** A view's caption as plain text, without the lesson's. @param {View} view @returns {CaptionTexts} */
function textsOf(view) {
	const { eyebrow, sentence, why } = view.caption;
	const texts = { eyebrow: plain(eyebrow), sentence: plain(sentence), why: plain(why) };
	return { ...texts, lesson: "" };
}

/**
 * The caption after the next key press, even if the player may not show it yet, such as the answer of an open
 * question; null if no more of the run is loaded.
 * @param {View} view
 */
function nextCaption(view) {
	const { player, store, explainer } = view;
	const { open, ahead } = predictions;
	const to = open?.shown ?? nextPlace(player);
	if (!to) return null;
	const asks = !open && ahead && ahead.from.step === to.step && ahead.from.frame === to.frame;
	if (asks) return { eyebrow: "", sentence: plain(textOf(ahead)), why: "", lesson: "", asks: true };
	const [event, state] = [store.event(to.step), store.stateAfter(to.step)];
	if (!event || !state) return null;
	const { order } = player;
	const following = store.event(to.step + 1);
	const caption = captionOf({ state, event, frame: to.frame, order, following, explainer });
	return textsOf(/** @type {View} */ ({ ...view, ...to, event, state, caption }));
}

/** The place after the player's next key press; null if no more of the run is loaded. @param {Player} player */
function nextPlace(player) {
	let { step, frame } = player;
	do {
		if (frame < player.frames(step) - 1) frame += 1;
		else if (player.store.event(step + 1)) [step, frame] = [step + 1, 0];
		else return null;
	} while (player.leavesOut(step, frame));
	return { step, frame };
}
