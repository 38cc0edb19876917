// @ts-check
/** Where points come from: a plugin's on a node, a node's total, the difference between two. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { quantity, short } from "../../shared/units.js";
import { panel, row, table } from "../parts/panel.js";
import { scoreName } from "../parts/plain_words.js";
import { asks, facts, rule } from "../parts/reasons_panel.js";
import { scoreStyle } from "./bars.js";
import { ranking, scores } from "./model.js";

/** @param {View} view @param {string} kind @param {string} first @param {string} second @returns {Child} */
export function explain(view, kind, first, second) {
	if (kind === "score") return score(view, first, second);
	return kind === "total" ? total(view, first) : compare(view, first, second);
}

/** @param {View} view @param {string} node @param {string} plugin */
function score(view, node, plugin) {
	const model = scores(view.state);
	const i = model?.names.indexOf(node) ?? -1;
	const one = model?.plugins.find((entry) => entry.plugin === plugin);
	if (!model || !one || i < 0) return total(view, node);
	view.explainer.want(view.state.attempt, [node]);
	const told = view.explainer.score(view.state.attempt, node, plugin);
	return panel(
		t("margin.points", { n: one.weighted[i] }),
		`${scoreName(plugin)}: ${node}`,
		(told?.arithmetic ?? []).map((line, k) => h("p", { key: `a${k}`, class: "formula" }, line)),
		facts(view, told?.facts ?? []),
		plugin === "NodeResourcesFit" && defaults(view),
		h(
			"p",
			{ key: "sum", class: "formula" },
			`${one.normalized[i]} × ${t("weight")} ${one.weight} = `,
			h("b", { class: "result" }, String(one.weighted[i])),
		),
		breakdown(view, node, plugin),
		rule(view.state, plugin, "score"),
	);
}

/** What counts in place of a request that is missing. @param {View} view */
function defaults({ state, hero }) {
	const asked = state.pods.get(hero)?.summary.requests ?? {};
	return Object.entries({ cpu: 100, memory: 200 * 2 ** 20 })
		.filter(([resource]) => !asked[resource])
		.map(([resource, value]) =>
			h(
				"p",
				{ key: `default${resource}`, class: "note" },
				t("margin.defaults", { resource: short(resource), amount: quantity(resource, value) }),
			),
		);
}

/** @param {View} view @param {string} node @param {string} hot */
function breakdown(view, node, hot) {
	const model = scores(view.state);
	const i = model?.names.indexOf(node) ?? -1;
	if (!model || i < 0) return null;
	const counted =
		view.event.type === "ScoresComputed" ? Math.min(view.frame + 1, model.plugins.length) : model.plugins.length;
	const sum = model.plugins.slice(0, counted).reduce((all, one) => all + one.weighted[i], 0);
	return table(
		[t("margin.plugin"), t("margin.raw"), "0–100", t("weight"), t("margin.pts")],
		[
			model.plugins.map((one, p) =>
				row(
					one.plugin,
					[
						h(
							"button",
							{ type: "button", class: "link", on: { click: () => view.act.pin(`score:${node}:${one.plugin}`) } },
							h("i", { class: "swatch", style: scoreStyle(one.plugin) }),
							scoreName(one.plugin),
						),
						...(p < counted
							? [
									String(one.raw[i]),
									String(one.normalized[i]),
									`× ${one.weight}`,
									h("b", null, String(one.weighted[i])),
								]
							: ["", "", `× ${one.weight}`, "·"]),
					],
					hot === one.plugin ? "hot" : "",
				),
			),
			row("sum", [counted < model.plugins.length ? t("margin.sofar") : node, "", "", "", String(sum)], "sum"),
		],
	);
}

/** @param {View} view @param {string} node */
function total(view, node) {
	const model = scores(view.state);
	const i = model?.names.indexOf(node) ?? -1;
	if (!model || i < 0) return asks(view, view.hero);
	const best = ranking(model.totals)[0];
	return panel(
		t("margin.from", { n: model.totals[i] }),
		i === best ? t("margin.winner", { node }) : node,
		breakdown(view, node, ""),
		h("p", { key: "note", class: "note" }, t("margin.total")),
		i !== best &&
			!view.boot.embed &&
			h(
				"button",
				{ key: "ask", type: "button", class: "button", on: { click: () => view.act.open(`ask:weigh:${node}`) } },
				t("ask.weigh", { node }),
			),
		model.skipped.length > 0 &&
			h(
				"p",
				{ key: "skipped", class: "note" },
				t("margin.skipped", { plugins: model.skipped.map(scoreName).join(", ") }),
			),
	);
}

/** @param {View} view @param {string} first @param {string} second */
function compare(view, first, second) {
	const model = scores(view.state);
	if (!model) return null;
	const [a, b] = [model.names.indexOf(first), model.names.indexOf(second)];
	return panel(
		t("margin.difference"),
		`${first}, ${second}`,
		table(
			[t("margin.pts"), first, second, "±"],
			[
				model.plugins.map((one) =>
					row(one.plugin, [
						scoreName(one.plugin),
						String(one.weighted[a]),
						String(one.weighted[b]),
						signed(one.weighted[a] - one.weighted[b]),
					]),
				),
				row(
					"sum",
					["", String(model.totals[a]), String(model.totals[b]), signed(model.totals[a] - model.totals[b])],
					"sum",
				),
			],
		),
	);
}

/** @param {number} n */
function signed(n) {
	return n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0";
}

/** The points that decide in the frame on screen. @param {Asked} place @returns {string | null} */
export function asked({ event, state, frame }) {
	const model = scores(state);
	if (!model) return null;
	const plugin = event.type === "ScoresComputed" ? model.plugins[frame] : undefined;
	if (!plugin) return `total:${state.cycle.HostSelected?.node ?? model.names[ranking(model.totals)[0]]}`;
	return `score:${model.names[plugin.weighted.indexOf(Math.max(...plugin.weighted))]}:${plugin.plugin}`;
}
