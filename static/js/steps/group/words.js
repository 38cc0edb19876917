// @ts-check
/** Captions of a pod group's cycle. */

import { button, h } from "../../shared/dom.js";
import { has, list, num, parts, t } from "../../shared/i18n.js";
import { shortPod } from "../../shared/names.js";
import { nameInKey } from "../../shared/units.js";
import { CAPTIONS as ORDINARY } from "../binding/words.js";
import { panel, row, table } from "../parts/panel.js";
import { node, nodes, pod } from "../parts/words.js";
import { gangOf, groupOf } from "./model.js";

/** The group's name as a part of a sentence. @param {Context} context @returns {Part} */
const groupName = ({ event, subject }) => ({
	text: nameInKey(event.pod_group),
	kind: subject ? "pod" : "subject",
	ref: `group:${event.pod_group}`,
});

/** The names of pods. @param {string[]} keys */
const pods = (keys) => list(keys.map((key) => pod(key)));

/** The caption of the start of a group's cycle. @param {Context} context @returns {Partial<Caption>} */
function cycleStarted(context) {
	const { event } = context;
	const missing = Math.max(0, (event.min_count ?? 0) - (event.scheduled ?? 0));
	const values = {
		group: groupName(context),
		pods: pods(event.pods),
		n: num(event.pods.length),
		min: num(event.min_count ?? 0),
		missing: num(missing),
		scheduled: num(event.scheduled ?? 0),
	};
	const kind = event.min_count == null ? "basic" : event.scheduled ? "more" : "gang";
	return {
		eyebrow: parts("eyebrow.group", { n: event.cycle }),
		sentence: parts("group.started", values),
		why: parts(event.profile ? `group.started.${kind}` : "group.started.mixed", values),
	};
}

/** The caption of the start of a try in one placement. @param {Context} context @returns {Partial<Caption>} */
function placementStarted(context) {
	const { event } = context;
	const values = {
		group: groupName(context),
		placement: event.placement,
		nodes: list(nodes(event.nodes)),
		n: num(event.nodes.length),
		i: num(event.number),
		count: num(event.count),
	};
	return {
		eyebrow: parts("eyebrow.placement", values),
		sentence: parts(event.placement ? "group.placement" : "group.placement.all", values),
		why: parts(event.placement ? "group.placement.why" : "group.placement.all.why", values),
	};
}

/** The caption of the result of a try. @param {Context} context @returns {Partial<Caption>} */
function evaluatedCaption(context) {
	const { event, state } = context;
	const { min_count: min, scheduled = 0 } = state.group?.started ?? {};
	const placed = event.members.filter((/** @type {any} */ member) => member.node);
	const left = event.members.filter((/** @type {any} */ member) => !member.node);
	const values = {
		group: groupName(context),
		placed: num(placed.length + scheduled),
		min: num(min ?? 0),
		n: num(left.length),
		left: pods(left.map((/** @type {any} */ member) => member.pod)),
		message: event.message,
	};
	const key = event.success ? "done" : event.waiting_on_preemption ? "preempt" : min == null ? "none" : "few";
	return {
		eyebrow: parts("eyebrow.group", { n: state.group?.started.cycle ?? "" }),
		sentence: parts(`group.evaluated.${key}`, values),
		why: left.length ? parts("group.evaluated.left", values) : parts("group.evaluated.tried"),
	};
}

/** The caption of the placements' scores. @param {Context} context @returns {Partial<Caption>} */
function scoredCaption(context) {
	const { event } = context;
	const chosen = event.placements.find((/** @type {any} */ placement) => placement.placement === event.chosen);
	const totals = event.placements.map((/** @type {any} */ placement) => `${placement.placement}: ${placement.total}`);
	const scores = Object.entries(chosen?.scores ?? {}).map(([plugin, score]) => `${plugin} ${score}`);
	const values = {
		group: groupName(context),
		chosen: event.chosen,
		total: num(chosen?.total ?? 0),
		totals: list(totals),
		scores: list(scores),
	};
	return {
		eyebrow: parts("eyebrow.placements"),
		sentence: parts("group.scored", values),
		why: parts("group.scored.why", values),
	};
}

/** The caption of the group's preemption. @param {Context} context @returns {Partial<Caption>} */
function preemptedCaption(context) {
	const { event } = context;
	const victims = event.victims ?? [];
	const values = {
		group: groupName(context),
		victims: pods(victims),
		n: num(victims.length),
		units: num((event.units ?? []).length),
		times: num(event.simulations ?? 0),
		message: messageWords(event.message ?? ""),
	};
	const succeeded = event.status === "Success";
	return {
		eyebrow: parts("eyebrow.workload"),
		sentence: parts(succeeded ? "group.preempted" : "group.preempted.none", values),
		why: parts(event.simulations ? "group.preempted.why" : "group.preempted.refused", values),
	};
}

/** The caption of the decision about the group. @param {Context} context @returns {Partial<Caption>} */
function decidedCaption(context) {
	const { event, state } = context;
	const values = { group: groupName(context), placement: event.placement ?? "", message: event.message ?? "" };
	return {
		eyebrow: parts("eyebrow.group", { n: state.group?.started.cycle ?? "" }),
		sentence: parts(`group.decided.${event.outcome}`, values),
		why: event.message
			? refusedWhy(context, values)
			: parts(event.placement ? "group.decided.placement" : "group.decided.why", values),
	};
}

/**
 * Why a group was refused: the missing members, or the scheduler's message.
 * @param {Context} context @param {Record<string, any>} values
 */
function refusedWhy({ event, state }, values) {
	const gang = gangOf(event, state);
	const left =
		gang?.members.filter(
			({ pod: key }) => !gang.cycle?.runs.at(-1)?.members.find((member) => member.pod === key)?.node,
		) ?? [];
	const mayCount = gang?.min != null && gang.cycle?.runs.length === 1 && left.length > 0;
	if (event.outcome === "WaitingOnPreemption") return parts("group.decided.waits", values);
	if (event.outcome !== "Unschedulable" || !mayCount) return [messageWords(event.message)];
	return parts("group.decided.few", {
		...values,
		have: num(gang.have),
		min: num(gang.min ?? 0),
		left: pods(left.map((member) => member.pod)),
		n: left.length,
	});
}

/** The caption of a PodGroup's condition. @param {Context} context @returns {Partial<Caption>} */
function conditionCaption(context) {
	const { event } = context;
	const values = { group: groupName(context), status: event.status, reason: event.reason };
	const key = event.absent ? "group.condition.absent" : event.kept ? "group.condition.kept" : "group.condition";
	return {
		eyebrow: parts("eyebrow.group.condition"),
		sentence: parts(key, values),
		why: event.message ? [messageWords(event.message)] : parts("group.condition.why", values),
	};
}

/** Whether the group is only being tried, so that nothing is final yet. @param {State} state */
const onlyTried = ({ group }) => Boolean(group) && !group?.decided;

/**
 * Returns a caption function that uses `other` while the group is only being tried.
 * @param {(context: Context) => Partial<Caption>} other
 */
const whileTried = (other) => (/** @type {Context} */ context) => {
	const otherwise = ORDINARY[context.event.type];
	return onlyTried(context.state) ? { ...otherwise(context), ...other(context) } : otherwise(context);
};

/** The caption of the start of a member's attempt. @param {Context} context @returns {Partial<Caption>} */
function memberStarted({ state, event, subject }) {
	const { pods: members = [] } = state.group?.started ?? {};
	const before = members.indexOf(event.pod);
	return {
		eyebrow: parts("eyebrow.attempt", { n: event.attempt }),
		sentence: parts("group.member.tried", {
			pod: pod(event.pod, subject),
			group: nameInKey(event.pod_group),
			i: num(before + 1),
			n: num(members.length),
		}),
		why: before > 0 ? parts("group.member.tried.why") : [],
	};
}

/** The caption of a member that waits on Permit; otherwise {}. @param {Context} context @returns {Partial<Caption>} */
function memberWaits({ event, state, subject }) {
	if (event.code !== "Wait") return {};
	const { pods: members = [], min_count: min = 0, scheduled = 0 } = state.group?.started ?? {};
	const placed = members.filter((key) => state.pods.get(key)?.node).length;
	const plugin = event.results.find((/** @type {any} */ result) => result.code === "Wait")?.plugin ?? "";
	const values = { pod: pod(event.pod, subject), have: num(placed + scheduled), min: num(min ?? 0), plugin };
	return { sentence: parts("group.permit.wait", values), why: parts("group.permit.wait.why", values) };
}

/**
 * The caption of a member that leaves its node at the end of a try.
 * @param {Context} context @returns {Partial<Caption>}
 */
function memberLeaves({ event, state, subject }) {
	const run = state.group?.runs.at(-1);
	const left = run?.members.filter((member) => !member.node).map((member) => member.pod) ?? [];
	const { min_count: min = null, scheduled = 0 } = state.group?.started ?? {};
	const values = {
		pod: pod(event.pod, subject),
		node: node(event.node),
		left: pods(left),
		n: left.length,
		have: num(scheduled + (run?.members.length ?? 0) - left.length),
		min: num(min ?? 0),
	};
	const key = run?.success || run?.waiting_on_preemption || !left.length || min === null ? "why" : "few";
	return {
		eyebrow: parts("eyebrow.group.tried"),
		sentence: parts("group.unreserved", values),
		why: parts(`group.unreserved.${key}`, values),
	};
}

/**
 * The caption of a member that fails because its group does; otherwise {}.
 * @param {Context} context @returns {Partial<Caption>}
 */
function memberFailed({ event, state, subject }) {
	const { decided } = state.group ?? {};
	if (!decided || decided.outcome === "Scheduled" || event.unschedulable_plugins?.length) return {};
	const nodeName = state.group?.runs.at(-1)?.members.find((member) => member.pod === event.pod)?.node ?? "";
	const values = { pod: pod(event.pod, subject), group: nameInKey(decided.pod_group), node: node(nodeName) };
	return {
		sentence: parts(nodeName ? "group.member.failed.found" : "group.member.failed", values),
		why: [messageWords(event.message)],
	};
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
	"group.CycleStarted": memberStarted,
	"group.PodAssumed": whileTried(() => ({ why: parts("group.assumed.why") })),
	"group.PermitEvaluated": whileTried(memberWaits),
	"group.PodUnreserved": whileTried(memberLeaves),
	"group.SchedulingFailed": (context) => ({ ...ORDINARY.SchedulingFailed(context), ...memberFailed(context) }),
	PodGroupCycleStarted: cycleStarted,
	PlacementStarted: placementStarted,
	PodGroupEvaluated: evaluatedCaption,
	PlacementsScored: scoredCaption,
	PodGroupPreemptionEvaluated: preemptedCaption,
	PodGroupDecided: decidedCaption,
	PodGroupMemberDecided: ({ event, subject }) => ({
		eyebrow: parts("eyebrow.attempt", { n: event.attempt }),
		sentence: parts(event.node ? "group.member.goes" : "group.member.returns", {
			pod: pod(event.pod, subject),
			node: node(event.node ?? ""),
		}),
		why: parts(event.node ? "group.member.goes.why" : "group.member.returns.why"),
	}),
	PodGroupConditionWritten: conditionCaption,
	PodGroupCycleFinished: (context) => ({
		eyebrow: parts("eyebrow.group", { n: context.event.cycle }),
		sentence: parts("group.finished", { group: groupName(context) }),
		why: parts("group.finished.why"),
	}),
};

/**
 * The margin's panel for a pod group.
 * @param {View} view @param {string} _kind @param {string} named @returns {Child}
 */
export function explain(view, _kind, named) {
	const { state, event, act } = view;
	const key = named || groupOf(event, state) || (state.group?.started.pod_group ?? "");
	const record = state.pod_groups.get(key);
	const gang = groupOf(event, state) === key ? gangOf(event, state) : null;
	const members = [...state.pods.values()].filter(({ summary }) => summary.pod_group === key);
	const standing = (/** @type {PodState} */ { summary, place, node }) => {
		const member = gang?.members.find(({ pod }) => pod === summary.pod);
		if (!member || member.standing === "here") return node ? t("gang.is.bound", { node }) : t(`place.${place}`);
		return t(`gang.is.${member.standing}`, { node: member.node });
	};
	return panel(
		t("gang.margin"),
		nameInKey(key),
		rules(record?.summary),
		table(
			[t("gang.margin.member"), t("gang.margin.standing")],
			members.map((pod) =>
				row(pod.summary.pod, [
					button(
						() => act.select({ kind: "pod", name: pod.summary.pod }),
						{ class: "link" },
						shortPod(pod.summary.pod),
					),
					standing(pod),
				]),
			),
		),
		record?.condition && [
			h("p", { key: "raw", class: "raw" }, `PodGroupScheduled  ${record.condition.status}  ${record.condition.reason}`),
			record.condition.message && h("p", { key: "message", class: "note" }, messageWords(record.condition.message)),
		],
		h("p", { key: "note", class: "note" }, t("gang.margin.note")),
	);
}

/**
 * The line with the rules of a pod group: its policy, topology, priority and disruption mode.
 * @param {import("../../trace/trace").PodGroupSummary | undefined} summary
 */
function rules(summary) {
	if (!summary) return h("p", { key: "rules", class: "note" }, t("gang.margin.none"));
	const { min_count: min = null, topology_key: key, disruption_mode: mode = "Pod", priority = 0 } = summary;
	const lines = [
		t(min === null ? "gang.policy.basic" : "gang.policy.gang", { min: min ?? 0 }),
		key && t("gang.within", { key }),
		priority && t("priority", { n: priority }),
		mode === "PodGroup" && "disruptionMode: PodGroup",
	];
	return h("p", { key: "rules", class: "formula" }, lines.filter(Boolean).join(t("list.comma")));
}

/** A reference to the group if the event is about no single pod; otherwise null. @param {Asked} place */
export function asked({ subject }) {
	return subject ? null : "group";
}

/** Patterns of the scheduler's messages, with the keys of their translations. @type {[RegExp, string][]} */
const KNOWN = [
	[/not eligible due to preemptionPolicy=Never/, "never"],
	[/No preemption victims found/, "novictims"],
	[/workload aware preemption is not supported for pod groups with scheduling constraints/, "constrained"],
	[/workload aware preemption is disabled/, "disabled"],
	[/^pod group is waiting for preemption to complete/, "preemption"],
	[/^pod group is unschedulable, waiting for minCount pods/, "minCount"],
	[/^pod group is unschedulable/, "unschedulable"],
	[/^(\d+)\/(\d+) placements are available/, "placements"],
	[/^no feasible placements found/, "noplacements"],
];

/** The translation of a known message, or the message itself. @param {string} message */
export function messageWords(message) {
	for (const [pattern, key] of KNOWN) {
		const match = pattern.exec(message);
		if (match && has(`gang.message.${key}`))
			return t(`gang.message.${key}`, { n: match[1] ?? "", all: match[2] ?? "" });
	}
	return message;
}
