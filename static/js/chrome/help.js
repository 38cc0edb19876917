// @ts-check
/** The keys, by what they are for, and the signs. */

import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { GROUPS } from "./keyboard.js";

/** @typedef {import("./keyboard.js").Binding} Binding */

const KEY_NAMES = {
	" ": "space",
	ArrowRight: "→",
	ArrowLeft: "←",
	PageDown: "pg dn",
	PageUp: "pg up",
	"Shift+ArrowRight": "shift →",
	"Shift+ArrowLeft": "shift ←",
};
const SIGNS = ["solid", "hollow", "passed", "star", "reprieved", "untouchable", "hatched", "amber", "indigo", "gap"];
const RANGE = 3; // more keys than that stand as the first and the last

/** @returns {Child} */
export function help() {
	return [
		h(
			"div",
			{ key: "keys", class: "keys" },
			Object.entries(GROUPS).map(([name, bindings]) =>
				h("section", { key: name }, h("h3", null, t(`help.keys.${name}`)), h("dl", null, bindings.map(row))),
			),
		),
		h("h3", { key: "signs" }, t("help.signs")),
		h(
			"ul",
			{ key: "legend", class: "signs" },
			SIGNS.map((sign) => h("li", { key: sign }, t(`help.${sign}`))),
		),
	];
}

/** @param {Binding} binding */
function row({ keys, name }) {
	const shown = keys.length > RANGE ? [keys[0], "–", keys[keys.length - 1]] : keys;
	const text = t(`control.${name}`).replace(/ ?[(（].*/, "");
	return h(
		"div",
		{ key: name },
		h(
			"dt",
			null,
			shown.map((key) =>
				key === "–" ? key : h("kbd", { key }, KEY_NAMES[/** @type {keyof typeof KEY_NAMES} */ (key)] ?? key),
			),
		),
		h("dd", null, text),
	);
}
