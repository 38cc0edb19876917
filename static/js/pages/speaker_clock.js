// @ts-check
/** The time of day, and how long the talk has been going on. */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

const KEPT = "kschedui.speaker.since";

/** Milliseconds since 1970; kept for when the window is loaded again. */
function begun() {
	const kept = Number(sessionStorage.getItem(KEPT));
	return kept || begin();
}

function begin() {
	const now = Date.now();
	sessionStorage.setItem(KEPT, String(now));
	return now;
}

/** @param {number} seconds */
export function elapsed(seconds) {
	const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
	const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
	return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** @param {Element} target @param {string} language */
export function startClock(target, language) {
	const day = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
	let since = begun();
	const draw = () => {
		const seconds = Math.max(0, Math.floor((Date.now() - since) / 1000));
		const reset = () => {
			since = begin();
			draw();
		};
		patch(target, [
			h(
				"p",
				{ key: "day", class: "speaker-day" },
				h("span", { class: "sr" }, t("speaker.day")),
				day.format(Date.now()),
			),
			h(
				"p",
				{ key: "elapsed", class: "speaker-elapsed" },
				h("span", { class: "sr" }, t("speaker.elapsed")),
				elapsed(seconds),
			),
			h("button", { key: "reset", type: "button", class: "button", on: { click: reset } }, t("speaker.reset")),
		]);
	};
	draw();
	setInterval(draw, 1000);
}
