// @ts-check
/**
 * Captions of Score and of the choice, and the lines of a score's arithmetic: numbers that can be dragged, and words
 * in the page's language.
 */

import { button, h } from "../../shared/dom.js";
import { has, list, num, parts, t } from "../../shared/i18n.js";
import { count, quantity, short } from "../../shared/units.js";
import { allocatable, free, request } from "../../trace/room.js";
import { facts, panel, requestPanel, row, rule, table, waitNote } from "../parts/panel.js";
import { requestOf, roomOf, scrubNumber, skewTried, termTried, triedValue, weightOf } from "../parts/scrub.js";
import { extenderName, node, nodes, pod, scoreName, tidy } from "../parts/words.js";
import { countScored, ranking, scoreStyle, scores } from "./bars.js";

const MAX_SHOWN = 2; // lines of the arithmetic before the others are unfolded

/** The caption of one plugin's points, or of the totals. @param {Context} context @returns {Partial<Caption>} */
function scoreCaption(context) {
	const model = scores(context.state);
	if (!model) return {};
	return context.frame >= model.plugins.length ? resultCaption(context, model) : pluginCaption(context, model);
}

/** The caption of one plugin's points. @param {Context} context @param {Scores} model @returns {Partial<Caption>} */
function pluginCaption({ state, frame, subject = "" }, model) {
	const scorer = model.plugins[frame];
	const { plugin, weight, weighted } = scorer;
	const top = Math.max(...weighted);
	const low = Math.min(...weighted);
	const best = model.names.filter((_, i) => weighted[i] === top);
	const worst = model.names.filter((_, i) => weighted[i] === low);
	const values = {
		pod: pod(subject, subject),
		plugin: extenderName(plugin),
		name: scoreName(plugin),
		nodes: list(nodes(best), 3),
		n: best.length,
		top: num(top, `score:${best[0]}:${plugin}`),
		low: num(low, `score:${worst[0]}:${plugin}`),
		worst: list(nodes(worst), 3),
		k: worst.length,
		gap: num(top - low),
		weight: num(weight),
		normalized: num(scorer.normalized[model.names.indexOf(best[0])]),
		count: num(count(model.names.length)),
		full: num(100 * weight),
	};
	const kind = top === low ? (top ? "same" : "zero") : low === 0 && worst.length < best.length ? "cost" : "best";
	const full =
		has(`scored.${plugin}.full`) &&
		kind === "best" &&
		best.length === 1 &&
		isFullest(state, model, model.names.indexOf(best[0]));
	const key = [`scored.${plugin}.${full ? "full" : kind}`, `scored.any.${kind}`].find(has) ?? "scored.any.best";
	const following = model.plugins[frame + 1];
	return {
		eyebrow: parts("eyebrow.score", { i: frame + 1, n: model.plugins.length, plugin: extenderName(plugin) }),
		sentence: parts(key, values),
		why:
			kind === "best" && has(`scored.${plugin}.shares`)
				? parts(`scored.${plugin}.shares`, { ...values, ...sharesLeft(state, subject, best[0], worst[0]) })
				: [
						...(has(`scored.${plugin}.why`) ? [...parts(`scored.${plugin}.why`, values), " "] : []),
						...parts(weight === 1 ? "scored.weight.one" : "scored.weight", values),
					],
		next: following
			? parts("next.scorer", { name: scoreName(following.plugin), plugin: extenderName(following.plugin) })
			: parts("next.total"),
	};
}

/**
 * Values for captions: the shares of cpu that two nodes would have free with the pod.
 * @param {State} state @param {string} subject @param {string} first @param {string} last
 */
function sharesLeft(state, subject, first, last) {
	const share = (/** @type {string} */ name) => {
		const record = state.nodes.get(name);
		const rest = free(state, name, "cpu", subject) - request(state, subject, "cpu");
		return num(`${record ? Math.round((100 * rest) / Math.max(1, allocatable(record, "cpu"))) : 0} %`);
	};
	return { first: node(first), last: node(last), most: share(first), least: share(last) };
}

/**
 * The plugin that made the difference between two nodes, and by how many points.
 * @param {Scores} model
 * @param {number} first
 * @param {number} second
 */
function decidingPlugin(model, first, second) {
	const gaps = model.plugins.map((plugin) => plugin.weighted[first] - plugin.weighted[second]);
	const best = gaps.indexOf(Math.max(...gaps));
	return { plugin: model.plugins[best]?.plugin ?? "", gap: gaps[best] ?? 0 };
}

/** The caption of the result of Score. @param {Context} context @param {Scores} model @returns {Partial<Caption>} */
function resultCaption({ state, subject = "" }, model) {
	const rank = ranking(model.totals);
	const [first, second = first] = rank;
	const lead = model.totals[first] - model.totals[second];
	const ties = model.totals.filter((total) => total === model.totals[first]).length;
	const { plugin, gap } = decidingPlugin(model, first, second);
	const values = {
		pod: pod(subject, subject),
		node: node(model.names[first]),
		total: num(model.totals[first], `total:${model.names[first]}`),
		lead: num(lead, `compare:${model.names[first]}:${model.names[second]}`),
		second: node(model.names[second]),
		n: num(ties),
		count: num(count(model.names.length)),
		plugin: scoreName(plugin),
		gap: num(gap, `score:${model.names[first]}:${plugin}`),
		other: num(Math.abs(lead - gap), `compare:${model.names[first]}:${model.names[second]}`),
	};
	const decides = lead === gap ? "score.decider.alone" : lead > gap ? "score.decider.more" : "score.decider";
	const fullest = model.names.length > 2 && isFullest(state, model, first);
	return {
		eyebrow: parts("eyebrow.result"),
		sentence: parts(ties > 1 ? "score.tie" : fullest ? "score.wins.fullest" : "score.wins", values),
		why: parts(ties > 1 ? "score.tie.why" : gap > 0 ? decides : "score.plain", values),
		next: parts("next.HostSelected"),
	};
}

/**
 * Whether the node has a smaller free share of cpu than all other scored nodes.
 * @param {State} state
 * @param {Scores} model
 * @param {number} index
 */
function isFullest(state, model, index) {
	const share = (/** @type {string} */ name) => {
		const record = state.nodes.get(name);
		return record ? free(state, name, "cpu") / Math.max(1, allocatable(record, "cpu")) : 1;
	};
	const own = share(model.names[index]);
	return model.names.every((name, i) => i === index || share(name) > own);
}

/** The caption of the chosen node. @param {Context} context @returns {Partial<Caption>} */
function hostCaption({ state, event, subject = "" }) {
	const ties = event.ties ?? [];
	const total = state.cycle.NodesFiltered?.total ?? state.nodes.size; // for a pod group, those of the placement
	const values = {
		pod: pod(subject, subject),
		node: node(event.node),
		total: num(event.score ?? 0, `total:${event.node}`),
		n: num(Math.max(event.tied ?? 1, ties.length)),
		feasible: num(count(event.feasible)),
		evaluated: num(count(event.evaluated)),
		all: num(count(total)),
		nodes: tiedNodes(ties, event.tied ?? 1),
	};
	const single = event.score === null || event.score === undefined;
	const sampled = event.evaluated < total && !single;
	const key = single ? singleKey(state, total) : ties.length > 1 ? "host.tie" : sampled ? "host.sampled" : "host.best";
	return {
		eyebrow: parts("eyebrow.host"),
		sentence: parts(key, values),
		why: parts(event.by_heap ? `${key}.heap` : `${key}.why`, values),
		next: parts("next.assume", values),
	};
}

/**
 * The key of the caption for the only feasible node, by the reason why there are no others.
 * @param {State} state @param {number} total
 */
function singleKey({ cycle }, total) {
	const { evaluated = 0, nominated_first: first, feasible } = cycle.NodesFiltered ?? {};
	if (first && cycle.HostSelected?.node === first && evaluated <= 1) return "host.single.nominated";
	if (cycle.PreFilterFinished?.nodes) return "host.single.named";
	return evaluated < total && feasible ? "host.single.found" : "host.single";
}

/** Names the first tied nodes, and how many more there are. @param {string[]} ties @param {number} all */
function tiedNodes(ties, all) {
	return ties.length >= all && all <= 4
		? list(nodes(ties), 4)
		: list([...nodes(ties.slice(0, 3)), t("list.more", { n: Math.max(all, ties.length) - 3 })]);
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = { ScoresComputed: scoreCaption, HostSelected: hostCaption };

/**
 * The margin's panel for a score, a total, or a comparison of two nodes.
 * @param {View} view @param {string} kind @param {string} first @param {string} second @returns {Child}
 */
export function explain(view, kind, first, second) {
	if (kind === "score") return scorePanel(view, first, second);
	return kind === "total" ? totalPanel(view, first) : comparisonPanel(view, first, second);
}

/**
 * The margin's panel for a plugin's points for a node.
 * @param {View} view @param {string} node @param {string} plugin
 */
function scorePanel(view, node, plugin) {
	const model = scores(view.state);
	const i = model?.names.indexOf(node) ?? -1;
	const scorer = model?.plugins.find((entry) => entry.plugin === plugin);
	if (!model || !scorer || i < 0) return totalPanel(view, node);
	view.explainer.request(view.state.attempt, [node]);
	const explanation = view.explainer.score(view.state.attempt, node, plugin);
	const weighed = weightOf(plugin, scorer.weight);
	const lines = explanation?.arithmetic ?? [];
	const sums = lines.map((line, k) => draggableLine(view, node, line, explanation?.facts ?? [], k));
	const heading = lines.findLastIndex((line) => line.endsWith(":"));
	const draggable = sums.flatMap((sum, k) => (sum && k > heading ? [k] : [])).slice(0, MAX_SHOWN);
	const decide = [...draggable, lines.length - 1]; // the others lead to these
	const isTried = [...(view.tried?.values.keys() ?? [])].some((id) => id !== weighed.id);
	const result = isTried ? "formula stale" : "formula"; // the stage has the new one
	return panel(
		t("margin.points", { n: scorer.weighted[i] }),
		`${scoreName(plugin)}: ${node}`,
		waitNote(view, node),
		lines.map((line, k) => {
			const kind = line.endsWith(":") ? "note" : sums[k] ? "formula" : result;
			return h(
				"p",
				{ key: `a${k}`, class: decide.includes(k) ? `${kind} decides` : kind },
				sums[k] ?? translatedLine(line, plugin),
			);
		}),
		!isTried && facts(view, explanation?.facts ?? []),
		plugin === "NodeResourcesFit" && h("p", { key: "floor", class: "note decides" }, t("margin.floor")),
		plugin === "NodeResourcesFit" && defaultRequestNotes(view),
		h(
			"p",
			{ key: "sum", class: result },
			`${scorer.normalized[i]} × ${t("weight")} `,
			scrubNumber(view, weighed, String),
			" = ",
			h("b", { class: "result" }, String(scorer.normalized[i] * triedValue(view, weighed))),
		),
		breakdown(view, model, i, plugin),
		rule(view.state, plugin, "score"),
	);
}

/** Millicores and bytes; pkg/scheduler/util/pod_resources.go: DefaultMilliCPURequest, DefaultMemoryRequest. */
const DEFAULT_REQUESTS = { cpu: 100, memory: 200 * 2 ** 20 };

/** Notes about the cpu and memory that scores assume where the pod requests none. @param {View} view */
function defaultRequestNotes({ state, subject }) {
	const requests = state.pods.get(subject)?.summary.requests ?? {};
	return Object.entries(DEFAULT_REQUESTS)
		.filter(([resource]) => !requests[resource])
		.map(([resource, value]) =>
			h(
				"p",
				{ key: `default${resource}`, class: "note" },
				t("margin.defaults", { resource: short(resource), amount: quantity(resource, value) }),
			),
		);
}

/**
 * The table of a node's points by plugin.
 * @param {View} view @param {Scores} model @param {number} i the node's index there @param {string} hot
 */
function breakdown(view, model, i, hot) {
	const node = model.names[i];
	const counted = countScored(view, model);
	const sum = model.plugins.slice(0, counted).reduce((all, plugin) => all + plugin.weighted[i], 0);
	return table(
		[t("margin.plugin"), t("margin.raw"), t("margin.scaled"), t("weight"), t("margin.pts")],
		[
			model.plugins.map((plugin, p) =>
				row(
					plugin.plugin,
					[
						button(
							() => view.act.pin(`score:${node}:${plugin.plugin}`),
							{ class: "link" },
							h("i", { class: "swatch", style: scoreStyle(plugin.plugin) }),
							scoreName(plugin.plugin),
						),
						...(p < counted
							? [
									String(plugin.raw[i]),
									String(plugin.normalized[i]),
									`× ${plugin.weight}`,
									h("b", null, String(plugin.weighted[i])),
								]
							: ["", "", `× ${plugin.weight}`, "·"]),
					],
					hot === plugin.plugin ? "hot" : "",
				),
			),
			row("sum", [counted < model.plugins.length ? t("margin.sofar") : node, "", "", "", String(sum)], "sum"),
		],
	);
}

/** The margin's panel for a node's total; about the pod if there is none. @param {View} view @param {string} node */
function totalPanel(view, node) {
	const model = scores(view.state);
	const i = model?.names.indexOf(node) ?? -1;
	if (!model || i < 0) return requestPanel(view, view.subject);
	const best = ranking(model.totals)[0];
	const top = model.totals.filter((total) => total === model.totals[best]).length;
	const leads = model.totals[i] === model.totals[best];
	return panel(
		t("margin.from", { n: model.totals[i] }),
		leads ? t(top > 1 ? "margin.winners" : "margin.winner", { node, n: top }) : node,
		breakdown(view, model, i, ""),
		h("p", { key: "note", class: "note" }, t("margin.total")),
		i !== best &&
			!view.boot.embed &&
			button(() => view.act.open(`ask:weigh:${node}`), { key: "ask", class: "button" }, t("ask.weigh", { node })),
		model.skipped.length > 0 &&
			h(
				"p",
				{ key: "skipped", class: "note" },
				t("margin.skipped", { plugins: model.skipped.map(scoreName).join(", ") }),
			),
	);
}

/**
 * The panel that compares the scores of two nodes; null before Score.
 * @param {View} view @param {string} first @param {string} second
 */
function comparisonPanel(view, first, second) {
	const model = scores(view.state);
	if (!model) return null;
	const [a, b] = [model.names.indexOf(first), model.names.indexOf(second)];
	return panel(
		t("margin.difference"),
		`${first}, ${second}`,
		table(
			[t("margin.pts"), first, second, "±"],
			[
				model.plugins.map((plugin) =>
					row(plugin.plugin, [
						scoreName(plugin.plugin),
						String(plugin.weighted[a]),
						String(plugin.weighted[b]),
						withSign(plugin.weighted[a] - plugin.weighted[b]),
					]),
				),
				row(
					"sum",
					["", String(model.totals[a]), String(model.totals[b]), withSign(model.totals[a] - model.totals[b])],
					"sum",
				),
			],
		),
	);
}

/** A number with its sign. @param {number} n */
function withSign(n) {
	return n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0";
}

/**
 * A reference to the most points of the plugin on screen, otherwise to the total of the chosen or best node; null
 * before Score.
 * @param {Asked} place @returns {string | null}
 */
export function asked({ event, state, frame }) {
	const model = scores(state);
	if (!model) return null;
	const plugin = event.type === "ScoresComputed" ? model.plugins[frame] : undefined;
	if (!plugin) return `total:${state.cycle.HostSelected?.node ?? model.names[ranking(model.totals)[0]]}`;
	return `score:${model.names[plugin.weighted.indexOf(Math.max(...plugin.weighted))]}:${plugin.plugin}`;
}

/**
 * A line of the arithmetic whose numbers can be dragged; null if it has none.
 * @param {View} view @param {string} node @param {string} line @param {Fact[]} facts
 * @param {number} k the line's number
 * @returns {Child}
 */
function draggableLine(view, node, line, facts, k) {
	const fact = facts[k];
	if (fact?.key.endsWith(".count")) return spreadLine(view, line, fact);
	if (/\.own-preferred-(anti-)?affinity$/.test(fact?.key ?? "")) return neighbourLine(view, fact);
	if (!k && facts.some(isPreferredTerm)) return preferenceLine(view, facts);
	return shareLine(view, node, line, facts);
}

/** Whether the fact is about a preferred term, which has a weight; a soft taint has none. @param {Fact} fact */
function isPreferredTerm({ key, values }) {
	return key.endsWith(".preferred") && values?.weight !== undefined;
}

/**
 * "40 + 30 = 70": the weights of the preferred terms that the node matches.
 * @param {View} view @param {Fact[]} facts @returns {Child}
 */
function preferenceLine(view, facts) {
	const matching = facts.filter((fact) => fact.holds && isPreferredTerm(fact));
	const weights = matching.map((fact, i) => {
		const value = Number(fact.values?.weight);
		if (!fact.field) return { value, number: String(value) }; // the profile's
		const term = termTried(view, fact.right, `${fact.field}.weight`, value);
		return { value: triedValue(view, term), number: scrubNumber(view, term, String, `w${i}`) };
	});
	const sum = weights.reduce((all, { value }) => all + value, 0);
	const terms = weights.flatMap(({ number }, i) => (i ? [" + ", number] : [number]));
	return [t("sum.preferred"), t("colon"), ...(terms.length ? terms : [t("sum.none")]), ` = ${sum}`];
}

/**
 * "hostname=n1: 2 × 20 = 40": the pods that match a preferred affinity term of the pod.
 * @param {View} view @param {Fact} fact @returns {Child}
 */
function neighbourLine(view, { key, field, values = {} }) {
	const sign = key.endsWith("anti-affinity") ? -1 : 1;
	const pods = Number(values.count);
	const term = termTried(view, String(values.selector), `${field}.weight`, sign * Number(values.weight));
	const weight = scrubNumber(view, term, (value) => String(sign * value));
	return [
		`${tidy(`${values.topologyKey}=${values.domain}`)}: ${pods} × `,
		weight,
		` = ${pods * sign * triedValue(view, term)}`,
	];
}

/**
 * "zone: 2 pods × ln(3 domains + 2) + (maxSkew 1 - 1) = ...": the arithmetic of a spread constraint, whose maxSkew can
 * be dragged. Null for other lines.
 * @param {View} view @param {string} line @param {Fact} fact @returns {Child}
 */
function spreadLine(view, line, fact) {
	const match = /^(\S+): .*\(maxSkew \d+ - 1\) = \d+ × ([\d.]+) \+/.exec(line);
	if (!match) return null;
	const { count = 0, domains = 0, maxSkew = 1 } = fact.values ?? {};
	const [key, weight] = [tidy(match[1]), Number(match[2])];
	const field = fact.field?.replace(/\.labelSelector$/, ".maxSkew");
	const about = { ...fact, values: { ...fact.values, topologyKey: match[1] } };
	const limit = field ? skewTried(view, about, field) : null;
	const skew = limit ? triedValue(view, limit) : Number(maxSkew);
	const sum = `${count} × ${weight.toFixed(2)} + ${skew - 1} = ${(Number(count) * weight + skew - 1).toFixed(2)}`;
	const [before, after] = t("sum.spread", { key, count, domains, skew: "\0" }).split("\0");
	return [before, limit ? scrubNumber(view, limit, String) : String(skew), `${after} = ${sum}`];
}

/** "cpu (4000 - 2200) * 100 / 4000 = 45", "cpu 2200 * 100 / 4000 = 55", "cpu 2200 / 4000 = 0.5500". */
const SHARE = /^(\S+) (\(\S+ - )?(\d+)[A-Za-z]*\)?( \* 100)? \/ (\d+)([A-Za-z]*) = [\d.]+$/;

/**
 * The arithmetic of a resource's share, whose request and capacity can be dragged; null for other lines.
 * @param {View} view @param {string} node @param {string} line @param {Fact[]} facts
 * @returns {Child}
 */
function shareLine(view, node, line, facts) {
	const [, resource, subtracts, requests, percent, capacityText, suffix] = SHARE.exec(line) ?? [];
	const values = facts.find(({ field }) => field?.endsWith(`.requests.${resource}`))?.values;
	if (values?.request === undefined) return null;
	const [requested, whole] = [Number(values.requested), Number(values.allocatable)];
	const unit = whole / Number(capacityText); // of the line
	const pods = requestOf(view, resource, Number(values.request));
	const capacity = roomOf(view, node, resource);
	const others = requested - pods.value;
	const counts = Number(requests) === requested / unit; // the pod: balance is also computed without it
	const used = others + (counts ? triedValue(view, pods) : 0);
	const room = triedValue(view, capacity);
	const text = (/** @type {number} */ value) => `${Math.round((value / unit) * 100) / 100}${suffix}`;
	const usedNumber = counts ? scrubNumber(view, pods, (value) => text(others + value)) : text(others);
	const all = (/** @type {string} */ key) => scrubNumber(view, capacity, text, key);
	const fits = used <= room && room > 0;
	if (!percent) return [`${resource} `, usedNumber, " / ", all("whole"), ` =\u00a0${fraction(fits ? used / room : 1)}`];
	const points = fits ? Math.floor(((subtracts ? room - used : used) * 100) / room) : 0;
	return subtracts
		? [`${resource} (`, all("all"), " - ", usedNumber, ") * 100 / ", all("whole"), ` =\u00a0${points}`]
		: [`${resource} `, usedNumber, " * 100 / ", all("whole"), ` =\u00a0${points}`];
}

/**
 * A fraction with four decimals. The engine rounds a tie to the even digit, 1/32 to "0.0312"; toFixed rounds it up.
 * @param {number} value
 */
function fraction(value) {
	const digits = value * 10_000;
	const isTie = Number.isInteger(value * 32) && digits % 1 === 0.5;
	return (isTie ? (2 * Math.round(digits / 2)) / 10_000 : value).toFixed(4);
}

/**
 * Patterns of the engine's lines that contain words, with the keys of their translations.
 * @type {[RegExp, string][]}
 */
const LINES = [
	[/^(?<key>\S+): 0 \(the node has no such label\)$/, "unlabelled"],
	[/^normalized = (?<sum>\d+) \(all feasible nodes have the same score\)$/, "same"],
	[/^normalized = (?<sum>\d+) \(no feasible node has a score above 0\)$/, "zero"],
	[/^normalized = (?<sum>100 × .+)$/, "normalized"],
	[/^ignored: no label (?<key>.+)$/, "ignored"],
	[/^PreferNoSchedule taints that the pod does not tolerate: (?<n>\d+)$/, "taints"],
	[/^no feasible node (?:has|matches) any: (?<n>\d+)$/, "nobody"],
	[/^(?<sum>.+) bytes, (?<mib>[\d.]+Mi), kept between (?<low>\d+)Mi and (?<high>\d+)Mi$/, "image"],
	[/^without the pod:$/, "before"],
	[/^with the pod:$/, "after"],
	[/^standard deviation (?<sum>.+)$/, "deviation"],
	[/^(?<name>\S+) (?<used>\S+) is more than (?<there>\S+) = 0$/, "toomuch"],
	[/^(?<sum>\S+ .+ %), by the shape (?<n>\d+)$/, "shape"],
	[/^no resource counts(?: in the mean)?: 0$/, "noresource"],
	[/^(?<claim>\S+) gets (?<name>\S+): (?<n>\d+)$/, "gets"],
	[/^(?<n>\d+) of at most (?<best>\d+): (?<points>\d+)$/, "ofmost"],
	[/^(?<n>\d+) of (?<all>\d+): (?<sum>.+)$/, "ofall"],
	[/^a pod without resource claims: 0$/, "noclaims"],
	[/^no claim has a prioritized list: 0$/, "nolist"],
	[/^(?<name>\S+): (?<n>\d+) of (?<all>\d+)$/, "requested"],
	[/^(?<n>\d+) pods of the same services and controllers on (?<node>\S+)$/, "siblings"],
	[/^(?<n>\d+) such pods in its zone, (?<most>\d+) in the zone with the most$/, "zone"],
	[/^(?<n>\d+) of them on nodes with (?<key>\S+)$/, "label"],
	[/^(?<n>\d+) pods of the service on (?<node>\S+), of (?<all>\d+)$/, "service"],
];

/**
 * A line of the engine's arithmetic in the page's language.
 * @param {string} line @param {string} plugin
 */
function translatedLine(line, plugin) {
	if (t("language") === "en") return line;
	for (const [pattern, key] of LINES) {
		const match = pattern.exec(line);
		if (match && has(`sum.${key}`))
			return t(`sum.${key}`, { ...match.groups, ...(match.groups?.key && { key: tidy(match.groups.key) }) });
	}
	const colon = line.lastIndexOf(": ");
	return line.includes("=") || colon < 0 ? line : `${scoreName(plugin)}${t("colon")}${line.slice(colon + 2)}`;
}
