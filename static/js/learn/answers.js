// @ts-check
/**
 * Finds the answer of a question in the trace: its options, the right one, and the place where the run shows it.
 * Null if
 * the answer is not unique (equal outcomes, chance) or there are too few options.
 */

import { placesOf } from "../steps/devices/model.js";
import { filterModel, PASSED, stoppedBy } from "../steps/filter/model.js";
import { preemptionFrames, preemptionIn } from "../steps/preempt/model.js";
import { activeOrder } from "../steps/queue/view.js";
import { framesOf } from "../steps/registry.js";
import { scores } from "../steps/score/bars.js";
import { zones } from "../trace/room.js";
import { workloadKey } from "../trace/state.js";

/** @typedef {{step: number, frame: number}} Spot */
/** @typedef {"node" | "pod" | "number" | "plugin" | "actor" | "group" | "word"} Kind */
/** @typedef {{key: string, kind: Kind}} Option `key` is the answer itself */
/**
 * The question about an event.
 * @typedef {{event: string, kind: string, frame?: number | null, about?: string, text?: string}} Ask
 *   `text` of the scenario
 */
/**
 * @typedef {object} Answer
 * @property {Spot} from the first place that may tell: the reader stops before it
 * @property {Spot} shown where the answer is to be seen
 * @property {Option[]} options
 * @property {number} right which of them
 */
/** @typedef {{store: ChunkStore, step: number, event: any, before: State, state: State, ask: Ask}} Case */

const MAX_OPTIONS = 9;
const QUEUES = ["active", "backoff", "unschedulable", "gated"];
const POINTS = ["Reserve", "Permit", "PreBind", "Bind"];
const SECONDS = [1, 2, 4, 8, 10];
const RETRIES = [1, 5, 10, 20, 60];
const SILENCE = [5, 10, 30, 50, 120, 300];
/** Actors that a question offers, besides the one that acts. */
const ACTORS = [
	"default-scheduler",
	"deployment-controller",
	"kubelet",
	"node-lifecycle-controller",
	"replicaset-controller",
	"taint-eviction-controller",
];

/**
 * The answer to what is asked of the event at a step.
 * @param {ChunkStore} store
 * @param {number} step
 * @param {Ask} ask
 * @returns {Answer | null}
 */
export function answerOf(store, step, ask) {
	const event = store.event(step);
	const before = store.stateAfter(Math.max(0, step - 1));
	const state = store.stateAfter(step);
	if (!event || !before || !state) return null;
	const answer = ANSWERS[`${ask.event}:${ask.kind}`]?.({ store, step, event, before, state, ask }) ?? null;
	return answer && answer.right >= 0 && answer.options.length > 1 ? answer : null;
}

/** @type {Record<string, (found: Case) => Answer | null>} */
const ANSWERS = {
	"CycleStarted:pod": nextPod,
	"PreFilterFinished:choice": preFilterChoice,
	"NodesFiltered:node": leftOver,
	"NodesFiltered:number": howManyLeft,
	"NodesFiltered:choice": rejecter,
	"DevicesSearched:choice": whatStops,
	"DevicesSearched:number": howOftenBack,
	"ScoresComputed:node": winner,
	"ScoresComputed:number": total,
	"HostSelected:node": (found) => {
		const step = stepOf(found, -1, "ScoresComputed");
		const event = step === null ? undefined : found.store.event(step);
		const state = step === null ? undefined : found.store.stateAfter(step);
		return step === null || !event || !state ? null : winner({ ...found, step, event, state });
	},
	"PreemptionEvaluated:node": nominatedNode,
	"PreemptionEvaluated:pod": victim,
	"PreemptionEvaluated:number": howManyVictims,
	"PreemptionEvaluated:choice": preemptionHelps,
	"PermitEvaluated:choice": (found) => word(found, ["Success", "Wait", "Unschedulable"], found.event.code),
	"PermitDecided:choice": (found) => word(found, ["allowed", "rejected", "timeout"], found.event.decision),
	"BindingFailed:choice": (found) => word(found, POINTS, found.event.point),
	"PodEnqueued:choice": (found) => word(found, QUEUES, found.event.queue),
	"PodEnqueued:number": waitingTime,
	"PodEnqueued:pod": woken,
	"PodGated:choice": (found) => word(found, QUEUES, "gated"),
	"AttemptFinished:choice": outcome,
	"ObjectApplied:choice": whoActs,
	"ObjectApplied:number": (found) => (found.event.workload ? newSize(found) : howManyMade(found)),
	"ObjectApplied:node": (found) => (found.event.kind === "Node" ? whichNode(found, [found.event.name]) : null),
	"ObjectDeleted:choice": whoActs,
	"ObjectDeleted:node": (found) => (found.event.kind === "Node" ? whichNode(found, [found.event.name]) : null),
	"PodDeletionRequested:choice": whoActs,
	"PodDeletionRequested:pod": whichPodGoes,
	"PodDeletionRequested:number": howManyGo,
	"PodFinished:choice": (found) => word(found, ["Succeeded", "Failed"], found.event.phase),
	"PodFinished:pod": whichPodGoes,
	"PodFinished:number": howLongUntilTheNext,
	"EvictionAnswered:choice": (found) => word(found, ["granted", "refused"], answerWord(found.event)),
	"NodeConditionChanged:node": (found) => whichNode(found, [found.event.name]),
	"NodeConditionChanged:number": howLongSilent,
	"NodeGroupResized:choice": (found) => word(found, ["grows", "shrinks", "refused"], resizeWord(found.event)),
	"NodeGroupResized:node": (found) => whichNode(found, found.event.nodes ?? []),
	"ScaleUpEvaluated:choice": whichGroupGrows,
	"ScaleUpEvaluated:number": howManyNodes,
	"ScaleDownEvaluated:node": whichNodeGoes,
	"ScaleDownEvaluated:choice": whatOfTheNode,
	"NodeGroupResized:number": (found) => {
		const right = Math.abs(found.event.delta);
		return makeAnswer(found, "number", numbersAround(right, right + 3), right);
	},
};

/**
 * @param {Case} found
 * @param {Option["kind"]} kind
 * @param {(string | number)[]} all
 * @param {string | number | undefined} right
 * @param {Partial<Answer>} [where]
 * @returns {Answer}
 */
function makeAnswer({ step, event, ask }, kind, all, right, where = {}) {
	const keys = few([...new Set(all.map(String))], String(right));
	const frame = Math.max(0, Math.min(ask.frame ?? where.from?.frame ?? 0, framesOf(event) - 1));
	const from = where.from && where.from.step !== step ? where.from : { step, frame };
	return {
		from,
		shown: where.shown ?? { step, frame: framesOf(event) - 1 },
		options: keys.map((key) => ({ key, kind })),
		right: keys.indexOf(String(right)),
	};
}

/** As many options as fit on buttons, including the right one, in their order. @param {string[]} keys */
function few(keys, right = "") {
	if (keys.length <= MAX_OPTIONS) return keys;
	const at = keys.indexOf(right);
	const apart = keys.length / MAX_OPTIONS;
	const kept = new Set(Array.from({ length: MAX_OPTIONS }, (_, i) => Math.floor(i * apart)));
	if (at >= 0 && !kept.has(at)) {
		kept.delete(Math.floor(Math.floor(at / apart) * apart));
		kept.add(at);
	}
	return [...kept].sort((a, b) => a - b).map((i) => keys[i]);
}

/** Nodes in the order of the picture's rows, as the keys 1, 2, 3 are. @param {State} state @param {string[]} names */
function inRows(state, names) {
	const some = new Set(names);
	return zones(state).flatMap(([, all]) => all.filter((name) => some.has(name)));
}

/** @param {Case} found @param {string[]} words @param {string} right */
function word(found, words, right) {
	return makeAnswer(found, "word", words, right);
}

/** The nearest event of the same attempt. @param {Case} found @param {1 | -1} by @param {string} type */
function stepOf({ store, step }, by, type) {
	for (const { step: at, event } of store.walk(step, by)) {
		if (event.type === type) return at;
		if (event.type === (by < 0 ? "CycleStarted" : "AttemptFinished")) return null;
	}
	return null;
}

/** The next pod of the queue; null if the queue alone does not decide it. @param {Case} found */
function nextPod(found) {
	const { before, event } = found;
	const waiting = activeOrder(before);
	const subject = before.pods.get(event.pod);
	const rank = (/** @type {PodState | undefined} */ pod) => `${pod?.summary.priority ?? 0} ${pod?.timestamp}`;
	const rivals = waiting.filter((key) => key !== event.pod);
	if (event.source === "backoff" || rivals.some((key) => rank(before.pods.get(key)) === rank(subject))) return null;
	return makeAnswer(found, "pod", waiting, event.pod);
}

/** The plugin that rejects the pod at PreFilter, if any. @param {Case} found */
function preFilterChoice(found) {
	const { results, rejected_by: by } = found.event;
	const plugins = results.map((/** @type {any} */ one) => one.plugin);
	return makeAnswer(found, "plugin", [...plugins, by, "none"].filter(Boolean), by ?? "none");
}

/**
 * The question about the only node that is left; if `about` is a plugin, about the only node that it rejects.
 * @param {Case} found
 */
function leftOver(found) {
	const model = filterModel(found.state);
	if (!model || model.hinted) return null;
	const k = model.plugins.indexOf(found.ask.about ?? "");
	const hits = found.ask.about ? (k < 0 ? [] : stoppedBy(model, k)) : model.feasible;
	return hits.length === 1 ? makeAnswer(found, "node", inRows(found.state, model.names), hits[0]) : null;
}

/** @param {Case} found */
function howManyLeft(found) {
	const model = filterModel(found.state);
	if (!model) return null;
	const right = model.feasible.length;
	if (model.evaluated < model.total) return found.ask.text ? whereItStops(found, model) : null;
	return makeAnswer(found, "number", numbersAround(right, model.evaluated), right);
}

/** The number of feasible nodes at which the search stops. @param {Case} found @param {Filtered} model */
function whereItStops(found, { feasible, total }) {
	const options = [feasible.length, Math.round(total / 10), Math.round(total / 2), total].sort((a, b) => a - b);
	return makeAnswer(found, "number", options, feasible.length);
}

/** Up to nine whole numbers about one. @param {number} right @param {number} most */
function numbersAround(right, most) {
	const low = Math.max(0, Math.min(right - 3, most - 6));
	return Array.from({ length: Math.min(most, low + 6) - low + 1 }, (_, i) => low + i);
}

/** The question about the plugin that rejects the node `about`. @param {Case} found */
function rejecter(found) {
	const model = filterModel(found.state);
	const at = model?.at.get(found.ask.about ?? "");
	if (!model || !at) return null;
	const right = at.stop === PASSED ? "none" : model.plugins[at.stop];
	const frame = at.stop === PASSED ? framesOf(found.event) - 1 : Math.min(at.stop, framesOf(found.event) - 1);
	const plugins = few(model.plugins, right).slice(0, MAX_OPTIONS);
	const names = right === "none" || plugins.length < MAX_OPTIONS ? plugins.slice(0, MAX_OPTIONS - 1) : plugins;
	return makeAnswer(found, "plugin", [...names, ...(names.length < MAX_OPTIONS ? ["none"] : [])], right, {
		shown: { step: found.step, frame },
	});
}

const STOPS = ["selector", "constraint", "held", "taint", "counters", "elsewhere", "incomplete", "empty", "nothing"];

/** A node's own part of the search for devices. @param {Case} found */
function searchOf({ event, step, ask }) {
	const node = event.nodes.findIndex((/** @type {any} */ one) => one.node === ask.about);
	const places = placesOf(event);
	const first = places.findIndex((place) => place.node === node);
	const last = places.findLastIndex((place) => place.node === node);
	return node < 0 ? null : { search: event.nodes[node], from: { step, frame: first }, shown: { step, frame: last } };
}

/**
 * The question about why the pod cannot have devices on the node `about`, if there is a single reason.
 * @param {Case} found
 */
function whatStops(found) {
	const own = searchOf(found);
	if (!own) return null;
	const { tries = [], pools = [], outcome } = own.search;
	const kinds = new Set([
		...tries.map((/** @type {any} */ one) => one.kind),
		...pools.map((/** @type {any} */ one) => one.problem ?? ""),
	]);
	const stops = weightiest(STOPS.filter((kind) => kinds.has(kind)));
	if (!stops.length && !pools.length) stops.push("empty");
	if (outcome !== "found" && stops.length !== 1) return null;
	return makeAnswer(found, "word", STOPS, outcome === "found" ? "nothing" : stops[0], own);
}

/**
 * Drops the weaker reasons: devices that do not match or are in use count only if there are no other reasons.
 * @param {string[]} kinds
 */
function weightiest(kinds) {
	for (const light of ["selector", "held"]) if (kinds.length > 1) kinds = kinds.filter((kind) => kind !== light);
	return kinds;
}

/** The number of devices that the search gives back on the node `about`. @param {Case} found */
function howOftenBack(found) {
	const own = searchOf(found);
	if (!own || own.search.unfinished) return null;
	const right = (own.search.tries ?? []).filter((/** @type {any} */ one) => one.kind === "returned").length;
	return makeAnswer(found, "number", numbersAround(right, right + 3), right, own);
}

/** The node with the highest total. @param {Case} found */
function winner(found) {
	const model = scores(found.state);
	const chosen = stepOf(found, 1, "HostSelected");
	const host = /** @type {any} */ (chosen === null ? null : found.store.event(chosen));
	if (!model || !host || host.by_heap) return null;
	const best = Math.max(...model.totals);
	if (model.totals.filter((points) => points === best).length !== 1) return null;
	const names = inRows(found.state, model.names);
	return makeAnswer(found, "node", names, host.node, { from: { step: found.step, frame: 1 } });
}

/** The total of the node `about`. @param {Case} found */
function total(found) {
	const model = scores(found.state);
	const i = model?.names.indexOf(found.ask.about ?? "") ?? -1;
	if (!model || i < 0) return null;
	const right = model.totals[i];
	const near = [...model.plugins.map((one) => right - one.weighted[i]), ...model.totals, right + 100];
	const options = [...new Set([right, ...near.filter((points) => points > 0)])].slice(0, 5).sort((a, b) => a - b);
	return makeAnswer(found, "number", options, right, { from: { step: found.step, frame: framesOf(found.event) - 2 } });
}

/** The result of the evaluation, if neither chance nor the order of nodes decided it. @param {Case} found */
function clearChoice(found) {
	const { event } = found;
	const { candidates, chosen, criteria } = preemptionIn(event);
	return chosen && event.nominated_node === chosen.node && criteria < 6 && !event.more ? { candidates, chosen } : null;
}

/** The question about the node on which pods are evicted. @param {Case} found */
function nominatedNode(found) {
	const played = clearChoice(found);
	if (!played) return null;
	const { candidates, chosen } = played;
	const names = candidates.length > 1 ? candidates.map((one) => one.node) : [...found.before.nodes.keys()];
	const frame = candidates.length > 1 ? 1 : 0;
	return makeAnswer(found, "node", names, chosen.node, { from: { step: found.step, frame } });
}

/** The question about the victim, if there is only one. @param {Case} found */
function victim(found) {
	const played = clearChoice(found);
	if (played?.chosen.victims.length !== 1) return null;
	const all = played.candidates.flatMap((one) => one.removed);
	const frame = preemptionFrames(found.event) > 2 ? 1 : 0;
	return makeAnswer(found, "pod", all, played.chosen.victims[0], { from: { step: found.step, frame } });
}

/** @param {Case} found */
function howManyVictims(found) {
	const played = clearChoice(found);
	if (!played) return null;
	const right = played.chosen.victims.length;
	return makeAnswer(
		found,
		"number",
		numbersAround(right, Math.max(2, ...played.candidates.map((one) => one.removed.length))),
		right,
	);
}

/** The question whether evicting pods helps. @param {Case} found */
function preemptionHelps(found) {
	return word(found, ["Nominated", "Unschedulable"], found.event.nominated_node ? "Nominated" : "Unschedulable");
}

/** The question about the seconds until the pod may be tried again. @param {Case} found */
function waitingTime(found) {
	const { event, state } = found;
	if (event.queue !== "backoff" || event.backoff_until == null) return null;
	const right = Math.round((event.backoff_until - state.time) * 100) / 100;
	const options = [...new Set([right, ...SECONDS])].sort((a, b) => a - b);
	return makeAnswer(found, "number", options, right);
}

/** The question about the pod that a cluster event moves, if there is only one. @param {Case} found */
function woken(found) {
	const { store, step, event, before } = found;
	const waiting = [...before.pods.values()].filter((one) => one.place === "unschedulable" || one.place === "gated");
	for (const by of /** @type {(1 | -1)[]} */ ([1, -1])) {
		for (const { event: other } of store.walk(step + by, by)) {
			if (["CycleStarted", "ClockAdvanced", "AttemptFinished", "RunStarted"].includes(other.type)) break;
			if (other.type === "PodEnqueued" && other.event === event.event) return null;
		}
	}
	return makeAnswer(
		found,
		"pod",
		waiting.map((one) => one.summary.pod),
		event.pod,
	);
}

const ENDS = { Scheduled: "HostSelected", Nominated: "PodNominated", Unschedulable: "SchedulingFailed" };

/** The outcome of the attempt. @param {Case} found */
function outcome(found) {
	const { event } = found;
	const end = /** @type {string | undefined} */ (ENDS[/** @type {keyof typeof ENDS} */ (event.outcome)]);
	const began = stepOf(found, -1, "CycleStarted");
	const shown = end ? stepOf(found, -1, end) : null;
	if (began === null || shown === null) return null;
	return makeAnswer(found, "word", Object.keys(ENDS), event.outcome, {
		from: { step: began + 1, frame: 0 },
		shown: { step: shown, frame: 0 },
	});
}

/** The actor that wrote it. @param {Case} found */
function whoActs(found) {
	const { by } = found.event;
	return by ? makeAnswer(found, "actor", [...new Set([...ACTORS, by])].sort(), by) : null;
}

/**
 * The events of the same type and actor at the same time, this one among them.
 * @param {Case} found
 * @param {(event: any) => boolean} [also] what else they have in common
 */
function together({ store, step, event }, also = () => true) {
	let n = 1;
	for (const by of /** @type {(1 | -1)[]} */ ([1, -1])) {
		for (const { event: one } of store.walk(step + by, by)) {
			const other = /** @type {any} */ (one);
			if (/^(CycleStarted|ClockAdvanced|RunStarted)$/.test(other.type)) break;
			if (other.type === event.type && other.by === event.by && also(other)) n += 1;
		}
	}
	return n;
}

/** The number of objects of the kind that the actor creates at once. @param {Case} found */
function howManyMade(found) {
	const { kind, action, by } = found.event;
	if (!by || action !== "create") return null;
	const right = together(found, (other) => other.kind === kind && other.action === action);
	return makeAnswer(found, "number", numbersAround(right, right + 3), right);
}

/** The replicas that a workload gets. @param {Case} found */
function newSize(found) {
	const { kind, namespace, name, workload, by } = found.event;
	const before = found.before.workloads.get(workloadKey({ kind, namespace, name }))?.state.size ?? 0;
	if (!by || workload.size == null || workload.size === before) return null;
	return makeAnswer(found, "number", numbersAround(workload.size, Math.max(before, workload.size) + 2), workload.size);
}

/** Pods of the same owner, or without one those of the same node. @param {Case} found */
function siblings({ before, event }) {
	const own = before.pods.get(event.pod);
	const owner = ownerOf(before, own);
	return [...before.pods.values()].filter(
		(pod) => pod.gone_at == null && (owner ? ownerOf(before, pod) === owner : pod.node && pod.node === own?.node),
	);
}

/**
 * The workload at the top: a pod of a Deployment belongs to it, not to its ReplicaSet.
 * @param {State} state @param {PodState} [pod]
 */
function ownerOf(state, pod) {
	const owner = pod?.summary.owner ?? "";
	const [kind, name] = owner.split("/");
	const namespace = pod?.summary.pod.split("/")[0] ?? "";
	return state.workloads.get(workloadKey({ kind, namespace, name: name ?? "" }))?.state.owner || owner;
}

/** The only pod of its owner, or of its node, that goes at this time. @param {Case} found */
function whichPodGoes(found) {
	const keys = siblings(found).map((pod) => pod.summary.pod);
	if (together(found, (other) => keys.includes(other.pod)) > 1) return null;
	return makeAnswer(found, "pod", keys, found.event.pod);
}

/** The number of pods of its owner, or of its node, that are deleted at this time. @param {Case} found */
function howManyGo(found) {
	const keys = siblings(found).map((pod) => pod.summary.pod);
	const right = together(found, (other) => keys.includes(other.pod));
	return makeAnswer(found, "number", numbersAround(right, keys.length), right);
}

/** The only node that it happens to. @param {Case} found @param {string[]} names */
function whichNode(found, names) {
	if (names.length !== 1) return null;
	return makeAnswer(found, "node", inRows(found.before, [...found.before.nodes.keys()]), names[0]);
}

/** @param {Case} found @param {number[]} others @param {number} right @param {Partial<Answer>} [where] */
function secondsAround(found, others, right, where) {
	const options = [...others.filter((seconds) => Math.abs(seconds - right) > right / 5), right];
	return makeAnswer(
		found,
		"number",
		options.sort((a, b) => a - b),
		right,
		where,
	);
}

/** The seconds from the end of a pod until its owner creates the next one. @param {Case} found */
function howLongUntilTheNext(found) {
	const { store, step, event, state } = found;
	const owner = state.pods.get(event.pod)?.summary.owner;
	for (const { event: one, step: at } of store.walk(step + 1, 1)) {
		const created = /** @type {any} */ (one);
		if (created.type !== "ObjectApplied" || created.action !== "create" || created.pod?.owner !== owner) continue;
		const right = Math.round((store.stateAfter(at)?.time ?? 0) - state.time);
		return secondsAround(found, RETRIES, right, { from: { step: step + 1, frame: 0 }, shown: { step: at, frame: 0 } });
	}
	return null;
}

/** The seconds since the kubelet of the node went silent. @param {Case} found */
function howLongSilent(found) {
	const { store, step, event } = found;
	for (const { event: one, step: at } of store.walk(step - 1, -1)) {
		const request = /** @type {any} */ (one);
		if (request.type !== "RequestMade" || request.verb !== "failNode" || !request.about.includes(event.name)) continue;
		const right = Math.round(found.state.time - (store.stateAfter(at)?.time ?? 0));
		return secondsAround(found, SILENCE, right);
	}
	return null;
}

const JUDGEMENTS = ["stays", "unneeded", "delete", "replace"];

/** @param {Case} found */
function whichNodeGoes(found) {
	const { nodes } = /** @type {import("../trace/trace").ScaleDownEvaluated} */ (found.event);
	const going = nodes.filter(({ outcome }) => outcome !== "stays");
	const names = going.map(({ node }) => node);
	return whichNode(found, names);
}

/** The only group, or NodePool, that gets nodes. @param {Case} found */
function whichGroupGrows(found) {
	const { options = [], refusals = [] } = /** @type {import("../trace/trace").ScaleUpEvaluated} */ (found.event);
	const chosen = new Set(options.filter((option) => option.chosen).map(({ group }) => group));
	if (chosen.size !== 1) return null;
	const groups = [...options, ...refusals].map(({ group }) => group ?? "").filter(Boolean);
	return makeAnswer(found, "group", groups.sort(), [...chosen][0]);
}

/** The number of nodes that the autoscaler wants. @param {Case} found */
function howManyNodes(found) {
	const { options = [] } = /** @type {import("../trace/trace").ScaleUpEvaluated} */ (found.event);
	const right = options.reduce((sum, { chosen, nodes }) => sum + (chosen ? nodes : 0), 0);
	return makeAnswer(found, "number", numbersAround(right, right + 3), right);
}

/** The judgement about the node `about`. @param {Case} found */
function whatOfTheNode(found) {
	const { nodes } = /** @type {import("../trace/trace").ScaleDownEvaluated} */ (found.event);
	const judged = nodes.find(({ node }) => node === found.ask.about);
	return judged ? word(found, JUDGEMENTS, judged.outcome) : null;
}

/** @param {any} event */
const answerWord = ({ code }) => (code === 201 ? "granted" : "refused");
/** @param {any} event */
const resizeWord = ({ delta, error = "" }) => (error ? "refused" : delta > 0 ? "grows" : "shrinks");
