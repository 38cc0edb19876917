// @ts-check
/** Captions of the preemption and of what follows from it. */

import { button, h } from "../../shared/dom.js";
import { list, num, parts, t } from "../../shared/i18n.js";
import { nodeName, shortPod } from "../../shared/names.js";
import { amount, count, decimal, nameInKey, quantity, short } from "../../shared/units.js";
import { podBeingTried } from "../../trace/phase.js";
import { request, resourceOf } from "../../trace/room.js";
import { filterModel } from "../filter/model.js";
import { panel, requestPanel, row, rule, table } from "../parts/panel.js";
import { wholeName } from "../parts/pods.js";
import { priorityTried, requestOf, scrubNumber, triedValue } from "../parts/scrub.js";
import { node, nodes, noVictims, pod, priorityOf } from "../parts/words.js";
import { actOf, preemptionOf, roomInDryRun } from "./model.js";

/** The caption of a frame of a preemption. @param {Context} context @returns {Partial<Caption>} */
function preemptionCaption(context) {
	const preemption = preemptionOf(context.state);
	if (!preemption) return {};
	const { act, at } = actOf(preemption, context.frame);
	if (act === "candidates") return candidatesCaption(context, preemption);
	if (act === "removed") return removedCaption(context, preemption);
	if (act === "reprieve") return reprieveCaption(context, preemption, at);
	return act === "criterion" ? criterionCaption(context, preemption, at) : resultCaption(context, preemption);
}

/**
 * The pod's request of the resource that most nodes lack; null if less than half of them lack it.
 * @param {Context} context @returns {Part | null}
 */
function lackedRequest({ state, subject = "" }) {
	/** @type {Map<string, number>} */
	const tally = new Map();
	for (const { verdict } of filterModel(state)?.at.values() ?? []) {
		for (const reason of verdict?.reasons ?? []) {
			if (reason.startsWith("Insufficient ")) tally.set(reason, (tally.get(reason) ?? 0) + 1);
		}
	}
	const most = [...tally].sort((a, b) => b[1] - a[1])[0];
	if (!most || most[1] * 2 < (filterModel(state)?.evaluated ?? 0)) return null;
	const resource = resourceOf(most[0]);
	return num(quantity(resource, request(state, subject, resource)), `request:${subject}`);
}

/**
 * The caption of the candidates, or of why there are none.
 * @param {Context} context @param {Preemption} preemption @returns {Partial<Caption>}
 */
function candidatesCaption(context, preemption) {
	const { subject = "" } = context;
	const need = lackedRequest(context);
	const { event } = preemption;
	const values = { pod: pod(subject, subject), n: num(preemption.all, "candidates"), need: need ?? "" };
	const kind = !event.eligible ? "ineligible" : preemption.candidates.length ? (need ? "room" : "open") : "nobody";
	const rest = (event.unhelpful ?? 0) + Object.keys(event.failed ?? {}).length + (event.more_failed ?? 0);
	const why = () => {
		if (kind === "ineligible") return whyNot(event.reason);
		if (kind === "nobody") return whyNobody(context, event);
		const others = rest ? [" ", ...parts("preempt.unhelpful", { n: num(count(rest)) })] : [];
		return [...parts(`preempt.${kind}.why`, values), ...others];
	};
	return {
		eyebrow: parts("eyebrow.preemption"),
		sentence: parts(`preempt.${kind}`, values),
		why: why(),
		next: preemption.candidates.length ? parts("next.removed", values) : [],
	};
}

/** Why the pod cannot preempt: known reasons in words, others as they are. @param {string} reason @returns {Part[]} */
function whyNot(reason) {
	const key = reason.includes("preemptionPolicy=Never")
		? "never"
		: reason.includes("terminating pod")
			? "terminating"
			: reason === "not found"
				? "state"
				: "";
	return parts(`preempt.reason.${key || "other"}`, { reason });
}

/**
 * Why no pod is evicted: none has a lower priority, other pods would still block the node, or evictions would not
 * change anything.
 * @param {Context} context
 * @param {PreemptionEvaluated} event
 * @returns {Part[]}
 */
function whyNobody({ state, subject = "" }, event) {
	const kinds = Object.values(event.failed ?? {}).map((verdict) => verdict.reasons[0] ?? "");
	const key = !kinds.length ? ".unhelpful" : kinds.every(noVictims) ? ".novictims" : ".why";
	const more =
		kinds.length && event.unhelpful ? [" ", ...parts("preempt.unhelpful", { n: num(count(event.unhelpful)) })] : [];
	return [
		...parts(`preempt.nobody${key}`, {
			pod: pod(subject, subject),
			priority: num(priorityOf(state, subject), `priority:${subject}`),
		}),
		...more,
	];
}

const UNSAID = new Set([3, 6]); // criteria whose reason the sentence of the result does not say already

/**
 * The caption of one criterion: which candidates it removes.
 * @param {Context} context @param {Preemption} preemption @param {number} at @returns {Partial<Caption>}
 */
function criterionCaption(context, preemption, at) {
	const { subject = "" } = context;
	const fallen = preemption.candidates.filter((candidate) => candidate.rung === at);
	const standing = preemption.candidates.filter((candidate) => !candidate.rung || candidate.rung > at);
	const single = fallen.length === 1;
	const worse = single ? criterionText(context, fallen[0], at) : "";
	const values = {
		pod: pod(subject, subject),
		n: num(fallen.length),
		nodes: list(nodes(fallen.map(({ node: name }) => name)), 4),
		left: num(standing.length),
		i: at,
		value: criterionText(context, preemption.chosen, at),
		worse,
	};
	const last = at === preemption.criteria;
	const eyebrow = parts("eyebrow.criterion", { i: at });
	const why = parts(`criterion.${at}.why`, values);
	if (last && preemption.chosen)
		return {
			...resultCaption(context, preemption),
			eyebrow,
			why: [
				...parts(single ? (at < 5 ? "criterion.beaten.with" : "criterion.beaten") : "criterion.beaten.many", values),
				...(UNSAID.has(at) ? [" ", ...why] : []),
			],
		};
	return {
		eyebrow,
		sentence: parts(
			!fallen.length
				? `criterion.${at}.tie`
				: single && at > 1 && at < 5
					? `criterion.${at}.falls.one`
					: `criterion.${at}.falls`,
			values,
		),
		why,
		next: parts("next.criterion", { i: at + 1, name: t(`criterion.${at + 1}`) }),
	};
}

/**
 * The value of a candidate for a criterion, formatted; "" without a candidate.
 * @param {Context} context
 * @param {Candidate | undefined} candidate
 * @param {number} at
 */
export function criterionText({ state }, candidate, at) {
	if (!candidate) return "";
	if (at === 5)
		return candidate.earliest_start === null || candidate.earliest_start === undefined
			? "–"
			: since(candidate.earliest_start, state.time);
	if (at === 6) return nodeName(candidate.node);
	if (at === 3 && surprises(state)) return `${candidate.victims.length}·2³¹ + ${plainSum(candidate)}`;
	return String(
		[candidate.pdb_violations, candidate.highest_priority ?? 0, plainSum(candidate), candidate.victims.length][at - 1],
	);
}

/**
 * Whether a node loses the third criterion although the sum of its victims' priorities is lower.
 * @param {State} state
 */
function surprises(state) {
	const { candidates = [], chosen } = preemptionOf(state) ?? {};
	if (!chosen) return false;
	return candidates.some((candidate) => candidate.rung === 3 && plainSum(candidate) < plainSum(chosen));
}

/** The caption of the result. @param {Context} context @param {Preemption} preemption @returns {Partial<Caption>} */
function resultCaption(context, preemption) {
	const { subject = "", state } = context;
	const chosen = preemption.chosen;
	if (!chosen)
		return { eyebrow: parts("eyebrow.preemption"), sentence: parts("preempt.nobody", { pod: pod(subject, subject) }) };
	const young = preemption.criteria === 5 && chosen.earliest_start !== undefined && chosen.earliest_start !== null;
	const values = {
		pod: pod(subject, subject),
		node: node(chosen.node),
		victims: list(
			chosen.victims.map((key) => pod(key)),
			3,
		),
		n: chosen.victims.length,
		value: preemption.criteria ? num(criterionText(context, chosen, preemption.criteria)) : "",
		left: num(
			preemption.candidates.filter((candidate) => !candidate.rung || candidate.rung >= preemption.criteria).length,
		),
		ran: num(young ? `${decimal(state.time - (chosen.earliest_start ?? 0))} s` : "", "start"),
		k: num(preemption.all),
		broken: num(chosen.pdb_violations ?? 0, `candidate:${chosen.node}`),
	};
	const recent = young && state.time - (chosen.earliest_start ?? 0) < HOUR && (chosen.earliest_start ?? -1) >= 0;
	return {
		eyebrow: parts("eyebrow.preemption"),
		sentence: parts(
			!preemption.criteria ? "preempt.only" : recent ? "preempt.young" : winKey(preemption.criteria, chosen),
			values,
		),
		why: [
			...parts(preemption.criteria ? "preempt.push.why" : "preempt.only.why", values),
			...(chosen.pdb_violations ? [" ", ...parts("preempt.violates", values)] : []),
		],
		next: context.following?.type === "VictimEvicted" ? parts("next.evict", { n: chosen.victims.length }) : [],
	};
}

/** The key of the text for the criterion that decides. @param {number} criterion @param {Candidate} chosen */
function winKey(criterion, { pdb_violations: broken }) {
	return `preempt.win.${criterion}${criterion === 1 && !broken ? ".none" : ""}`;
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const ROUNDED = 1000; // seconds, from which on a time has no decimals

/** How long ago a start was, as text in seconds or days. @param {number} start @param {number} now */
function since(start, now) {
	const ago = now - start;
	if (ago >= 2 * DAY) return `${count(Math.floor(ago / DAY))} d`;
	return `${ago < ROUNDED ? decimal(ago) : count(Math.round(ago))} s`;
}

/**
 * The sum of the victims' priorities, without the 2^31 that the scheduler adds for each.
 * @param {Candidate} candidate
 */
function plainSum(candidate) {
	return (candidate.priority_sum ?? 0) - candidate.victims.length * 2 ** 31;
}

/**
 * The priorities of victim and preemptor; if a pod group preempts, those of the victim's unit and of the group.
 * @param {State} state
 * @param {any} event
 */
function prioritiesOf(state, { pod: victim, preemptor }) {
	const group = state.pod_groups.get(preemptor);
	const unit = state.group?.preemption?.units?.find((/** @type {any} */ entry) => entry.pods.includes(victim));
	if (group && unit) return { p: num(unit.priority ?? 0), q: num(group.summary.priority ?? 0) };
	return {
		p: num(priorityOf(state, victim), `priority:${victim}`),
		q: num(priorityOf(state, preemptor), `priority:${preemptor}`),
	};
}

/**
 * The caption of the removal of all lower-priority pods.
 * @param {Context} context @param {Preemption} preemption @returns {Partial<Caption>}
 */
function removedCaption({ state, subject = "" }, preemption) {
	const lifted = preemption.candidates.flatMap((candidate) => candidate.removed);
	const values = {
		pod: pod(subject, subject),
		n: num(preemption.all),
		lifted: num(lifted.length),
		node: node(preemption.candidates[0].node),
		other: pod(lifted[0] ?? ""),
		priority: num(priorityOf(state, subject), `priority:${subject}`),
	};
	const suffix = preemption.all > 1 ? "" : lifted.length === 1 ? ".one" : ".node";
	return {
		eyebrow: parts("eyebrow.dryrun"),
		sentence: parts(`preempt.removed${suffix}`, values),
		why: parts("preempt.removed.why", values),
		next: parts("next.reprieve", values),
	};
}

/**
 * The sentence about the free amount after a pod is put back; [] if something else decides.
 * @param {State} state
 * @param {Candidate} candidate
 * @param {number} rank
 * @param {string} subject
 * @returns {Part[]}
 */
function roomWords(state, candidate, rank, subject) {
	const { resource, need, tried } = roomInDryRun(state, candidate, subject);
	const { pod: other, reprieved, after } = tried[rank - 1];
	if (reprieved !== after >= need) return [];
	return parts("reprieve.left", {
		other: pod(other),
		left: num(quantity(resource, Math.max(0, after)), `candidate:${candidate.node}`),
		need: num(quantity(resource, need), `request:${subject}`),
		pod: pod(subject, subject),
	});
}

/**
 * The caption of the pods of one rank, each of which is put back or becomes a victim.
 * @param {Context} context @param {Preemption} preemption @param {number} rank @returns {Partial<Caption>}
 */
function reprieveCaption({ subject = "", state }, preemption, rank) {
	const tried = preemption.candidates.flatMap((candidate) =>
		candidate.reprieve[rank - 1] ? [{ candidate, ...candidate.reprieve[rank - 1] }] : [],
	);
	const stay = tried.filter((entry) => entry.reprieved);
	const go = tried.filter((entry) => !entry.reprieved);
	const single = tried.length === 1 ? tried[0] : null;
	const values = {
		pod: pod(subject, subject),
		other: pod((single ?? go[0] ?? tried[0])?.pod ?? "", subject),
		node: node((single ?? go[0] ?? tried[0])?.candidate.node ?? ""),
		stay: num(stay.length),
		go: num(go.length),
		n: num(tried.length),
		victims: list(
			go.map(({ pod: key }) => pod(key)),
			3,
		),
		spared: list(
			stay.map(({ pod: key }) => pod(key)),
			3,
		),
	};
	const keyOfOne = stay.length ? "reprieve.stays" : "reprieve.goes";
	const keyOfMany = !go.length ? "reprieve.allstay" : !stay.length ? "reprieve.allgo" : "reprieve.some";
	const ruleWords = parts(tried.some((entry) => entry.violates_pdb) ? "reprieve.why.pdb" : "reprieve.why", values);
	const sums = single ? roomWords(state, single.candidate, rank, subject) : [];
	return {
		eyebrow: parts("eyebrow.reprieve", { i: rank, n: preemption.ranks }),
		sentence: parts(single ? keyOfOne : keyOfMany, values),
		why: !sums.length ? ruleWords : rank > 1 ? sums : [...sums, " ", ...ruleWords],
		next:
			rank < preemption.ranks
				? parts("next.reprieve", values)
				: parts(preemption.criteria ? "next.criteria" : "next.result"),
	};
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
	PreemptionEvaluated: preemptionCaption,
	VictimEvicted: ({ event, state, subject }) => {
		const wait = event.gone_at - state.time;
		return {
			eyebrow: parts(
				state.pod_groups.has(event.preemptor)
					? "eyebrow.workload"
					: podBeingTried(state) === event.preemptor
						? "eyebrow.eviction"
						: "eyebrow.beside",
			),
			sentence: parts(wait > 0 ? "evict.grace" : "evict.now", {
				victim: pod(event.pod),
				node: node(event.node),
				wait: num(`${decimal(wait)} s`),
				pod: pod(event.preemptor, subject),
			}),
			why: parts("evict.why", {
				victim: pod(event.pod),
				pod: pod(event.preemptor, subject),
				...prioritiesOf(state, event),
			}),
		};
	},
	PreemptionStarted: ({ event, subject }) => ({
		eyebrow: parts("eyebrow.preemption"),
		sentence: parts("async.started", {
			pod: pod(event.pod, subject),
			node: node(event.node),
			victims: list(
				event.victims.map((/** @type {string} */ key) => pod(key)),
				3,
			),
			n: event.victims.length,
		}),
		why: parts("async.started.why", { pod: pod(event.pod, subject) }),
	}),
	PreemptionFinished: ({ event, subject }) => ({
		eyebrow: parts("eyebrow.beside"),
		sentence: parts(event.error ? "async.failed" : "async.finished", {
			pod: pod(event.pod, subject),
			error: event.error ?? "",
		}),
		why: parts(event.error ? "async.failed.why" : "async.finished.why", { pod: pod(event.pod, subject) }),
	}),
	PodNominated: ({ event, state, subject }) => {
		const key = state.cycle.PreemptionEvaluated ? "nominated.preemptor" : "nominated";
		return {
			eyebrow: parts("eyebrow.nomination"),
			sentence: parts(key, { pod: pod(event.pod, subject), node: node(event.node) }),
			why: parts(`${key}.why`, { pod: pod(event.pod, subject) }),
		};
	},
	NominationCleared: ({ event, subject }) => ({
		eyebrow: parts("eyebrow.nomination"),
		sentence: parts(`cleared.${event.cause}`, {
			pod: pod(event.pod, subject),
			node: node(event.node),
			by: pod(subject ?? "", subject),
		}),
		why: parts(event.cause === "bound" ? "cleared.bound.why" : "cleared.why"),
	}),
};

/**
 * The margin's panel for a candidate; for the chosen one, unless `kind` is "candidate".
 * @param {View} view @param {string} kind @param {string} first @returns {Child}
 */
export function explain(view, kind, first) {
	return candidatePanel(view, kind === "candidate" ? first : (preemptionOf(view.state)?.chosen?.node ?? ""));
}

/**
 * The number of pods that have been tried so far; undefined: all.
 * @param {View} view
 * @param {Preemption} preemption
 */
function reprievesShown({ event, frame, pin }, preemption) {
	const { act, at } =
		event.type === "PreemptionEvaluated" && !pin ? actOf(preemption, frame) : { act: "result", at: 0 };
	return act === "reprieve" ? at : act === "candidates" || act === "removed" ? 0 : undefined;
}

/**
 * The margin's panel for the victims of a candidate; for the pod's priority if that decides, and for its request if the
 * node is not a candidate.
 * @param {View} view @param {string} name
 */
function candidatePanel(view, name) {
	const preemption = preemptionOf(view.state);
	const candidateOfNode = preemption?.candidates.find((entry) => entry.node === name);
	const node = view.state.nodes.get(name);
	if (preemption && priorityDecides(preemption)) return priorityPanel(view, preemption);
	if (!preemption || !candidateOfNode || !node) return requestPanel(view, view.subject);
	const { state, subject } = view;
	const { resource, need, empty, tried } = roomInDryRun(state, candidateOfNode, subject);
	const [below, gone] = t("margin.allgone", { n: "\0" }).split("\0");
	const removed = h("span", null, below, scrubNumber(view, priorityTried(view), String), gone);
	const wanted = requestOf(view, resource, need);
	const text = (/** @type {number} */ value) => amount(resource, value);
	const rows = [row("gone", [removed, "", amount(resource, empty)])];
	for (const { pod, reprieved, after } of tried.slice(0, reprievesShown(view, preemption))) {
		rows.push(
			row(pod, [
				h("span", null, h("b", { class: reprieved ? "yes" : "no" }, reprieved ? "↩ " : "✕ "), shortPod(pod)),
				String(priorityOf(state, pod)),
				h(
					"span",
					{ class: reprieved ? "" : "no" },
					amount(resource, after),
					...(reprieved ? [] : [after < triedValue(view, wanted) ? " < " : " ≥ ", scrubNumber(view, wanted, text)]),
				),
			]),
		);
	}
	return panel(
		t("margin.victims"),
		t("margin.reprieve", { node: name }),
		h(
			"div",
			{ key: "others", class: "segments wrap" },
			preemption.candidates
				.filter((entry, i) => i < 8 || entry.node === name)
				.map((entry) =>
					button(
						() => view.act.pin(`candidate:${entry.node}`),
						{
							key: entry.node,
							"aria-pressed": String(entry.node === name),
							...wholeName(entry.node, nodeName(entry.node)),
						},
						nodeName(entry.node),
					),
				),
		),
		table([t("margin.giveback"), t("margin.priority"), t("margin.freeof", { resource: short(resource) })], rows),
		h(
			"p",
			{ key: "n1", class: "note" },
			t("margin.important", { pod: shortPod(subject), need: quantity(resource, need) }),
		),
		(preemption.event.budgets ?? []).map((budget) => budgetSum(budget, candidateOfNode)),
		preemption.criteria >= 3 && h("p", { key: "n3", class: "note" }, t("criterion.3.why")),
		rule(state, "DefaultPreemption", "post_filter"),
	);
}

/** Whether no node is a candidate, and some node has no pod of lower priority. @param {Preemption} preemption */
function priorityDecides({ event, candidates }) {
	return (
		event.eligible &&
		!candidates.length &&
		Object.values(event.failed ?? {}).some(({ reasons }) => noVictims(reasons[0] ?? ""))
	);
}

/**
 * The margin's panel that compares the least important pod of the nodes without victims with the pod's own priority.
 * @param {View} view @param {Preemption} preemption
 */
function priorityPanel(view, { event }) {
	const { state, subject } = view;
	const own = priorityTried(view);
	const refused = Object.entries(event.failed ?? {}).filter(([, { reasons }]) => noVictims(reasons[0] ?? ""));
	const others = refused.flatMap(([name]) => state.nodes.get(name)?.pods ?? []);
	const lowest = Math.min(...others.map((other) => priorityOf(state, other)));
	const key = others.find((other) => priorityOf(state, other) === lowest);
	const lower = lowest < triedValue(view, own);
	return panel(
		t("margin.lower"),
		nameInKey(subject),
		h(
			"p",
			{ key: "sum", class: "formula" },
			key ? [`${shortPod(key)} ${lowest} < `] : "",
			`${shortPod(subject)} `,
			scrubNumber(view, own, String),
			key && h("b", { class: lower ? "yes" : "no" }, ` → ${t(lower ? "true" : "false")}`),
		),
		h("p", { key: "note", class: "note" }, t(key ? "margin.lowest" : "margin.nopods", { pod: shortPod(key ?? "") })),
		rule(state, "DefaultPreemption", "post_filter"),
	);
}

/**
 * The part with the disruptions that a budget allows, and the pods whose eviction exceeds it; null if there are
 * neither.
 * @param {import("../../trace/trace").BudgetNow} budget
 * @param {Candidate} candidate
 */
function budgetSum({ name, namespace, rule: text = "", allowed, healthy = 0, desired = 0 }, { reprieve }) {
	const over = reprieve.filter((entry) => entry.violates_pdb && entry.pod.startsWith(`${namespace}/`));
	if (!over.length && !allowed) return null; // it covers pods of another node
	return h(
		"div",
		{ key: `budget${namespace}/${name}`, class: "budget" },
		h("h3", null, `PodDisruptionBudget ${name}`),
		text && h("p", { class: "note" }, text),
		h(
			"p",
			{ class: "formula" },
			text ? t("margin.budget.sum", { healthy, desired }) : t("margin.budget.fixed"),
			h("b", { class: "result" }, t("margin.budget.allowed", { n: allowed })),
		),
		over.length > 0 &&
			h(
				"p",
				{ class: "note no" },
				t("margin.budget.over", { pods: over.map(({ pod }) => shortPod(pod)).join(t("list.comma")), n: over.length }),
			),
		h("p", { class: "note" }, t("margin.budget.note")),
	);
}

/**
 * A reference to the first candidate that is not ruled out, or finally to the chosen one; "candidates" if the pod's
 * priority decides; otherwise a reference to its request, or null without a pod.
 * @param {Asked} place
 */
export function asked({ state, subject, event, frame }) {
	const preemption = preemptionOf(state);
	if (preemption && priorityDecides(preemption)) return "candidates";
	const { act, at } =
		preemption && event.type === "PreemptionEvaluated" ? actOf(preemption, frame) : { act: "", at: 6 };
	const out = act === "criterion" ? at : 0;
	const shown =
		act && act !== "result"
			? preemption?.candidates.find((candidate) => (candidate.rung || 7) > out)
			: preemption?.chosen;
	return shown ? `candidate:${shown.node}` : subject ? `request:${subject}` : null;
}
