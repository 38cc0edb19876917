// @ts-check
/**
 * The answers to choose from: a button at the right end of each row that the stage has for them, else a list; and
 * afterwards a tag on what was picked.
 */

import { h, patch } from "../shared/dom.js";
import { plain, t } from "../shared/i18n.js";
import { endCard, fitsButton } from "./end_card.js";
import { optionText, textOf } from "./words.js";

/** @typedef {import("./predictions.js").Predictions} Predictions */
/** @typedef {import("./questions.js").Question} Question */
/** @typedef {{left: number, top: number}} Corner */

const SIZE = 44; // pixels of a button, so that a thumb finds it

/** @type {HTMLElement | null} */
let layer = null;

/**
 * Draw them over the page; called after each draw.
 * @param {HTMLElement} root
 * @param {View} view
 * @param {Predictions} predictions
 */
export function drawAnswers(root, view, predictions) {
	const { open } = predictions;
	const shown = open ? null : predictions.on ? predictions.shownAt(view) : null;
	root.dataset.asked = open?.id ?? "";
	const end = open ? null : endCard(view, predictions);
	const fits = open ? null : fitsButton(view);
	root.classList.toggle("ended", Boolean(end));
	if (!open && !shown && !end && !fits && !layer) return;
	layer ??= layerOf(root);
	patch(layer, open ? asking(root, predictions, open) : [shown && tag(root, predictions, shown), end, fits]);
	if (open && predictions.offersSkip)
		/** @type {HTMLElement | null} */ (layer.querySelector(".skip-question"))?.focus();
}

/** @param {HTMLElement} root */
function layerOf(root) {
	const made = document.createElement("section");
	made.id = "predict";
	made.setAttribute("aria-label", t("predict.label"));
	root.querySelector("#stage")?.after(made); // in the order in which it is read
	return made;
}

/** @param {HTMLElement} root @param {Predictions} predictions @param {Question} open */
function asking(root, predictions, open) {
	const places = placesOf(root, open);
	const picked = predictions.picks.get(open.id);
	const button = (/** @type {number} */ i) => {
		const text = optionText(open.options[i], open);
		return h(
			"button",
			{
				key: `o${i}`,
				type: "button",
				class: `answer ${places ? "on-row" : ""}`,
				"aria-pressed": String(picked === i),
				"aria-label": places ? `${i + 1}: ${text}` : null, // without a row it is on the button
				style: places ? { left: `${places[i].left}px`, top: `${places[i].top}px` } : {},
				on: { click: () => (predictions.picks.get(open.id) === i ? predictions.reveal() : predictions.pick(i)) },
			},
			h("kbd", null, String(i + 1)),
			!places && h("span", null, text),
		);
	};
	return [
		h(
			"div",
			{
				key: "answers",
				class: places ? "answers" : "answers listed",
				role: "group",
				"aria-label": plain(textOf(open)),
			},
			open.options.map((_, i) => button(i)),
		),
		h(
			"p",
			{ key: "go", class: "predict-go" },
			h("span", { role: "status" }, hint(predictions, open)),
			!predictions.heldBy &&
				h(
					"button",
					{ key: "skip", type: "button", class: "button skip-question", on: { click: () => predictions.skip() } },
					t("predict.skip"),
				),
			!predictions.heldBy &&
				h(
					"button",
					{
						key: "reveal",
						type: "button",
						class: "button primary",
						disabled: picked === undefined,
						on: { click: () => predictions.reveal() },
					},
					t("predict.reveal"),
				),
		),
	];
}

/** @param {Predictions} predictions @param {Question} open */
function hint(predictions, open) {
	const picked = predictions.picks.get(open.id);
	if (picked !== undefined) {
		const name = optionText(open.options[picked], open);
		return t(predictions.heldBy ? "predict.held" : "predict.picked", { name });
	}
	const keys = matchMedia("(pointer: coarse)").matches ? ".touch" : "";
	const skips = predictions.offersSkip && !predictions.heldBy;
	return t(`predict.${skips ? "pickorskip" : "pick"}${keys}`, { n: open.options.length });
}

/**
 * What was picked stays marked where it stands.
 * @param {HTMLElement} root
 * @param {Predictions} predictions
 * @param {Question} shown
 */
function tag(root, predictions, shown) {
	const pick = predictions.picks.get(shown.id);
	const box = pick === undefined ? null : rowOf(root, shown.options[pick]);
	if (!box) return null;
	const { left, top } = cornerOf(root, box);
	const style = { left: `${left - 34}px`, top: `${top + SIZE / 2}px` };
	return h("span", { key: "tag", class: "prediction-tag", style }, t("predict.tag"));
}

/**
 * Where each option's button stands; null where some have no row, or rows are too close.
 * @param {HTMLElement} root
 * @param {Question} open
 */
function placesOf(root, { options }) {
	const boxes = options.map((option) => rowOf(root, option));
	if (!boxes.every((box) => box !== null)) return null;
	const stage = root.querySelector("#stage")?.getBoundingClientRect();
	const places = boxes.map((box) => cornerOf(root, box));
	const apart = places.every((one, i) =>
		places.every(
			(other, j) => i <= j || Math.abs(one.top - other.top) >= SIZE + 2 || Math.abs(one.left - other.left) >= SIZE + 2,
		),
	);
	const inside = boxes.every((box) => !stage || (box.bottom <= stage.bottom + 1 && box.top >= stage.top - 1));
	return apart && inside ? places : null;
}

/**
 * The row of the stage, or the item of the queue, that stands for an option.
 * @param {HTMLElement} root
 * @param {import("./answers.js").Option} option
 */
export function rowOf(root, { key, kind }) {
	if (kind !== "node" && kind !== "pod") return null;
	const name = CSS.escape(key);
	const rows =
		kind === "node"
			? [`[data-node="${name}"]`]
			: [`.victim[data-pod="${name}"]`, `[data-pod="${name}"]`, `[data-fly="${name}"]`];
	for (const row of rows) {
		for (const element of root.querySelectorAll(`#stage .scene:not([hidden]) ${row}, #queue ${row}`)) {
			const box = element.getBoundingClientRect();
			if (box.width && box.height) return box;
		}
	}
	return null;
}

/**
 * The upper left corner of a button at a row's right end.
 * @param {HTMLElement} root
 * @param {DOMRect} box
 * @returns {Corner}
 */
export function cornerOf(root, box) {
	const frame = root.getBoundingClientRect();
	return { left: box.right - frame.left - SIZE, top: box.top - frame.top + root.scrollTop + (box.height - SIZE) / 2 };
}
