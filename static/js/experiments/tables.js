// @ts-check
/**
 * The drawing as tables: the distribution of each level, the runs with the highest and lowest values, and the
 * reasons of runs without measures.
 */
import { button, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { formatValue, isSingle, levelsOf, pointsOf, reasonsOf, summaryOf } from "./rows.js";

const LISTED = 20;
const LEVELS = 100;
const MAX_REASONS = 5;

/**
 * The tables below the figure.
 * @typedef {Map<number, import("./rows.js").Result>} Results
 * @param {{results: Results, factor: number, measure: number, highest: boolean, failed: number, boot: any}} state
 * @param {(run: number) => void} open
 * @param {() => void} turn
 */
export function tables(state, open, turn) {
	const { boot } = state;
	const points = pointsOf(state.results, boot.levels, state.factor, state.measure);
	const share = boot.shares.includes(boot.measures[state.measure]);
	return [failures(state), !isSingle(points) && summary(state, points, share), runs(state, points, share, open, turn)];
}

/** The list of runs without measures, by reason; null if there are none. @param {any} state */
function failures({ results, failed }) {
	if (!failed) return null;
	const reasons = reasonsOf(results).slice(0, MAX_REASONS);
	return h(
		"div",
		{ key: "failures", class: "failures" },
		h("p", { class: "no" }, t("failed", { n: failed })),
		h(
			"ul",
			null,
			reasons.map(([why, n]) => h("li", { key: why }, `${n.toLocaleString()} × ${why}`)),
		),
	);
}

/** A table in a region that scrolls. @param {string} title @param {any[]} heads @param {any[]} body */
function table(title, heads, body) {
	return h(
		"div",
		{ key: title, class: "scroll", tabindex: "0", role: "region", "aria-label": title },
		h(
			"table",
			{ class: "plain" },
			h(
				"thead",
				null,
				h(
					"tr",
					null,
					heads.map((head, at) => h("th", { key: String(at), scope: "col" }, head)),
				),
			),
			h("tbody", null, body),
		),
	);
}

/** The table of levels. @param {any} state @param {import("./rows.js").Point[]} points @param {boolean} share */
function summary({ boot, factor, measure }, points, share) {
	const { name, labels } = boot.levels[factor];
	const title = `${t("summary")}: ${boot.names[boot.measures[measure]]}`;
	const rows = summaryOf(points, labels).slice(0, LEVELS);
	const body = rows.map((row) =>
		h(
			"tr",
			{ key: row.level },
			h("th", { scope: "row" }, row.level),
			h("td", null, row.count.toLocaleString()),
			[row.least, row.median, row.mean, row.most].map((value, at) =>
				h("td", { key: String(at) }, formatValue(value, share)),
			),
		),
	);
	const heads = [name, ...["count", "least", "median", "mean", "most"].map((key) => t(key))];
	return [h("h2", { key: "summary" }, title), table(title, heads, body)];
}

/**
 * The table of runs, by value.
 * @param {any} state
 * @param {import("./rows.js").Point[]} points
 * @param {boolean} share
 * @param {(run: number) => void} open
 * @param {() => void} turn
 */
function runs({ boot, measure, highest }, points, share, open, turn) {
	const name = boot.names[boot.measures[measure]];
	const sorted = [...points].sort((a, b) => (highest ? b.value - a.value : a.value - b.value) || a.run - b.run);
	const body = sorted.slice(0, LISTED).map(({ run, value }) =>
		h(
			"tr",
			{ key: String(run) },
			h("th", { scope: "row" }, run.toLocaleString()),
			levelsOf(boot.levels, run).map((level, at) => h("td", { key: `l${at}` }, boot.levels[at].labels[level])),
			h("td", null, formatValue(value, share)),
			h(
				"td",
				null,
				button(() => open(run), { class: "button", "aria-label": t("open.run", { n: run }) }, t("open")),
			),
		),
	);
	const heads = [
		t("run"),
		...boot.levels.map((/** @type {any} */ level) => level.name),
		name,
		h("span", { class: "sr" }, t("open")),
	];
	const order = t(highest ? "highest" : "lowest");
	return [
		h(
			"div",
			{ key: "runs-head", class: "runs-head" },
			h("h2", null, t("runs")),
			button(turn, { class: "button" }, `${t("sort", { measure: name })}: ${order}`),
		),
		table(t("runs"), heads, body),
		sorted.length > LISTED &&
			h("p", { key: "more", class: "small muted" }, t("shown", { n: LISTED, all: sorted.length.toLocaleString() })),
	];
}
