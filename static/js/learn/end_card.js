// @ts-check
/** The last frame: what came of the run, how the predictions went, and where to go on. */

import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { scenarioDone } from "../shared/progress.js";
import { framesOf } from "../steps/registry.js";

/** @param {View} view @param {import("./predictions.js").Predictions} predictions @returns {Child} */
export function endCard(view, predictions) {
	const { boot, event } = view;
	if (event.type !== "RunFinished") return null;
	scenarioDone(boot.scenario?.id ?? "");
	const [right, told] = predictions.tally;
	const attempts = view.index.columns.flatMap((column) => (column.kind === "attempt" ? [column] : []));
	const facts = {
		placed: attempts.filter(({ outcome }) => outcome === "Scheduled").length,
		evicted: attempts.reduce((sum, { victims }) => sum + victims, 0),
		waiting: event.pending.length,
	};
	return h(
		"section",
		{ key: "end", class: "end-card", "aria-label": t("end.title") },
		h("h2", null, t("end.title")),
		h(
			"dl",
			null,
			Object.entries(facts).map(([name, n]) =>
				h(
					"div",
					{ key: name },
					h("dd", null, name === "waiting" && n ? why(boot, n) : String(n)),
					h("dt", null, t(`end.${name}`, { n })),
				),
			),
		),
		told > 0 && h("p", { key: "tally" }, t("predict.tally", { right, all: told })),
		h("p", { key: "on", class: "buttons" }, onward(view, facts.waiting)),
	);
}

/** The number of those that wait leads to what keeps them waiting. @param {any} boot @param {number} n */
function why({ embed, page }, n) {
	return embed ? String(n) : h("a", { href: `${page}pending/`, title: t("end.why") }, String(n));
}

/** Where a step tells that no node was found: the way to what would change that. @param {View} view @returns {Child} */
export function fitsButton({ act, boot, event, frame, order }) {
	const { outcome = "Scheduled", feasible = outcome === "Scheduled" } = /** @type {any} */ (event);
	if (feasible || boot.embed || frame < framesOf(event, order) - 1) return null;
	return h(
		"button",
		{ key: "fits", type: "button", class: "button fits", on: { click: () => act.open("ask:changes") } },
		t("ask.fits"),
	);
}

/** @param {View} view @param {number} waiting @returns {Child[]} */
function onward({ act, boot }, waiting) {
	const { place, embed, scenario, page } = /** @type {any} */ (boot);
	if (embed) return [];
	const form = /** @type {HTMLFormElement | null} */ (document.querySelector(`form[action$="/${scenario?.id}/fork/"]`));
	return [
		place?.on && h("a", { key: "next", class: "button primary", href: place.on }, t("end.next")),
		place && !place.on && h("a", { key: "done", class: "button primary", href: place.url }, t("end.back")),
		h(
			"button",
			{
				key: "ask",
				type: "button",
				class: "button",
				on: { click: () => act.open(waiting ? "ask:changes" : "ask:run") },
			},
			t(waiting ? "ask.fits" : "ask.title"),
		),
		form &&
			h(
				"button",
				{ key: "fork", type: "button", class: "button", on: { click: () => form.requestSubmit() } },
				t("end.change"),
			),
		h("a", { key: "many", href: `${page?.split("?")[0]}experiments/` }, t("margin.experiment")),
	];
}
