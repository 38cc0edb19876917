// @ts-check
/**
 * Finds the answer to a question in the trace: its options, the right one, and the place where the run shows it. A
 * question has no answer if several are right, if chance decides, or if there are too few options.
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
 * A question about an event.
 * @typedef {{event: string, kind: string, frame?: number | null, about?: string, text?: string}} Ask
 *   `text` of the scenario
 */
/**
 * @typedef {object} Answer
 * @property {Spot} from the first place that may reveal the answer: the reader stops before it
 * @property {Spot} shown the place that shows the answer
 * @property {Option[]} options
 * @property {number} right index of the right option
 */
/** @typedef {{store: ChunkStore, step: number, event: any, before: State, state: State, ask: Ask}} Case */

const MAX_OPTIONS = 9;
const MAX_TOTALS = 5; // options for a total
const QUEUES = ["active", "backoff", "unschedulable", "gated"];
const POINTS = ["Reserve", "Permit", "PreBind", "Bind"];
const SECONDS = [1, 2, 4, 8, 10];
const RETRIES = [1, 5, 10, 20, 60];
const SILENCE = [5, 10, 30, 50, 120, 300];
/** Actors that a question offers in addition to the right one. */
const ACTORS = [
	"default-scheduler",
	"deployment-controller",
	"kubelet",
	"node-lifecycle-controller",
	"replicaset-controller",
	"taint-eviction-controller",
];

/**
 * The answer to a question about the event at a step; null if there is none.
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

/** @type {Record<string, (question: Case) => Answer | null>} */
const ANSWERS = {
	"CycleStarted:pod": answerNextPod,
	"PreFilterFinished:choice": answerPreFilter,
	"NodesFiltered:node": answerOnlyNode,
	"NodesFiltered:number": answerHowManyLeft,
	"NodesFiltered:choice": answerRejecter,
	"DevicesSearched:choice": answerWhatStops,
	"DevicesSearched:number": answerHowManyReturned,
	"ScoresComputed:node": answerWinner,
	"ScoresComputed:number": answerTotal,
	"HostSelected:node": answerChosenNode,
	"PreemptionEvaluated:node": answerNominatedNode,
	"PreemptionEvaluated:pod": answerVictim,
	"PreemptionEvaluated:number": answerHowManyVictims,
	"PreemptionEvaluated:choice": answerPreemptionHelps,
	"PermitEvaluated:choice": (question) =>
		wordAnswer(question, ["Success", "Wait", "Unschedulable"], question.event.code),
	"PermitDecided:choice": (question) =>
		wordAnswer(question, ["allowed", "rejected", "timeout"], question.event.decision),
	"BindingFailed:choice": (question) => wordAnswer(question, POINTS, question.event.point),
	"PodEnqueued:choice": (question) => wordAnswer(question, QUEUES, question.event.queue),
	"PodEnqueued:number": answerWaitingTime,
	"PodEnqueued:pod": answerWoken,
	"PodGated:choice": (question) => wordAnswer(question, QUEUES, "gated"),
	"AttemptFinished:choice": answerOutcome,
	"ObjectApplied:choice": answerWhoActs,
	"ObjectApplied:number": (question) =>
		question.event.workload ? answerNewSize(question) : answerHowManyMade(question),
	"ObjectApplied:node": (question) =>
		question.event.kind === "Node" ? answerWhichNode(question, [question.event.name]) : null,
	"ObjectDeleted:choice": answerWhoActs,
	"ObjectDeleted:node": (question) =>
		question.event.kind === "Node" ? answerWhichNode(question, [question.event.name]) : null,
	"PodDeletionRequested:choice": answerWhoActs,
	"PodDeletionRequested:pod": answerWhichPodGoes,
	"PodDeletionRequested:number": answerHowManyGo,
	"PodFinished:choice": (question) => wordAnswer(question, ["Succeeded", "Failed"], question.event.phase),
	"PodFinished:pod": answerWhichPodGoes,
	"PodFinished:number": answerHowLongUntilNext,
	"EvictionAnswered:choice": (question) => wordAnswer(question, ["granted", "refused"], answerWord(question.event)),
	"NodeConditionChanged:node": (question) => answerWhichNode(question, [question.event.name]),
	"NodeConditionChanged:number": answerHowLongSilent,
	"NodeGroupResized:choice": (question) =>
		wordAnswer(question, ["grows", "shrinks", "refused"], resizeWord(question.event)),
	"NodeGroupResized:node": (question) => answerWhichNode(question, question.event.nodes ?? []),
	"ScaleUpEvaluated:choice": answerWhichGroupGrows,
	"ScaleUpEvaluated:number": answerHowManyNodes,
	"ScaleDownEvaluated:node": answerWhichNodeGoes,
	"ScaleDownEvaluated:choice": answerWhatOfTheNode,
	"NodeGroupResized:number": (question) => {
		const right = Math.abs(question.event.delta);
		return makeAnswer(question, "number", numbersAround(right, right + 3), right);
	},
};

/**
 * The answer with these options; without `where`, it is shown at the last frame of the event. Its `right` is -1 if the
 * right option is not among them.
 * @param {Case} question
 * @param {Option["kind"]} kind
 * @param {(string | number)[]} all
 * @param {string | number | undefined} right
 * @param {Partial<Answer>} [where]
 * @returns {Answer}
 */
function makeAnswer({ step, event, ask }, kind, all, right, where = {}) {
	const keys = optionsThatFit([...new Set(all.map(String))], String(right));
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
function optionsThatFit(keys, right = "") {
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

/**
 * Nodes in the order of the picture's rows, and so of the keys 1, 2, 3.
 * @param {State} state @param {string[]} names
 */
function inRows(state, names) {
	const some = new Set(names);
	return zones(state).flatMap(([, all]) => all.filter((name) => some.has(name)));
}

/**
 * The answer to a question with words to choose from.
 * @param {Case} question @param {string[]} words @param {string} right
 */
function wordAnswer(question, words, right) {
	return makeAnswer(question, "word", words, right);
}

/**
 * The step of the nearest event of a type in the same attempt; null if there is none.
 * @param {Case} question @param {1 | -1} by @param {string} type
 */
function stepOf({ store, step }, by, type) {
	for (const { step: at, event } of store.walk(step, by)) {
		if (event.type === type) return at;
		if (event.type === (by < 0 ? "CycleStarted" : "AttemptFinished")) return null;
	}
	return null;
}

/**
 * The answer to the question about the next pod of the queue; null if the queue alone does not decide it.
 * @param {Case} question
 */
function answerNextPod(question) {
	const { before, event } = question;
	const waiting = activeOrder(before);
	const subject = before.pods.get(event.pod);
	const rank = (/** @type {PodState | undefined} */ pod) => `${pod?.summary.priority ?? 0} ${pod?.timestamp}`;
	const rivals = waiting.filter((key) => key !== event.pod);
	if (event.source === "backoff" || rivals.some((key) => rank(before.pods.get(key)) === rank(subject))) return null;
	return makeAnswer(question, "pod", waiting, event.pod);
}

/** The answer to the question about the plugin that rejects the pod at PreFilter. @param {Case} question */
function answerPreFilter(question) {
	const { results, rejected_by: by } = question.event;
	const plugins = results.map((/** @type {any} */ entry) => entry.plugin);
	return makeAnswer(question, "plugin", [...plugins, by, "none"].filter(Boolean), by ?? "none");
}

/**
 * The answer to the question about the only node that is left or, if `about` is a plugin, the only node that it
 * rejects; null if there are several or none, or the previous pod's hint chose the node.
 * @param {Case} question
 */
function answerOnlyNode(question) {
	const model = filterModel(question.state);
	if (!model || model.hinted) return null;
	const k = model.plugins.indexOf(question.ask.about ?? "");
	const hits = question.ask.about ? (k < 0 ? [] : stoppedBy(model, k)) : model.feasible;
	return hits.length === 1 ? makeAnswer(question, "node", inRows(question.state, model.names), hits[0]) : null;
}

/**
 * The answer to the question about the number of feasible nodes; null if the search stopped early and the scenario's
 * text does not ask.
 * @param {Case} question
 */
function answerHowManyLeft(question) {
	const model = filterModel(question.state);
	if (!model) return null;
	const right = model.feasible.length;
	if (model.evaluated < model.total) return question.ask.text ? answerWhereItStops(question, model) : null;
	return makeAnswer(question, "number", numbersAround(right, model.evaluated), right);
}

/**
 * The answer to the question about the number of feasible nodes at which the search stops.
 * @param {Case} question @param {Filtered} model
 */
function answerWhereItStops(question, { feasible, total }) {
	const options = [feasible.length, Math.round(total / 10), Math.round(total / 2), total].sort((a, b) => a - b);
	return makeAnswer(question, "number", options, feasible.length);
}

/** Up to seven whole numbers around the right one, none above `most`. @param {number} right @param {number} most */
function numbersAround(right, most) {
	const low = Math.max(0, Math.min(right - 3, most - 6));
	return Array.from({ length: Math.min(most, low + 6) - low + 1 }, (_, i) => low + i);
}

/**
 * The answer to the question about the plugin that rejects the node `about`; null if the node was not evaluated.
 * @param {Case} question
 */
function answerRejecter(question) {
	const model = filterModel(question.state);
	const at = model?.at.get(question.ask.about ?? "");
	if (!model || !at) return null;
	const right = at.stop === PASSED ? "none" : model.plugins[at.stop];
	const last = framesOf(question.event) - 1;
	const frame = at.stop === PASSED ? last : Math.min(at.stop, last);
	const plugins = optionsThatFit(model.plugins, right);
	const names = at.stop === PASSED ? plugins.slice(0, MAX_OPTIONS - 1) : plugins;
	return makeAnswer(question, "plugin", [...names, ...(names.length < MAX_OPTIONS ? ["none"] : [])], right, {
		shown: { step: question.step, frame },
	});
}

/** The ResourceSlices. @param {State} state @returns {any[]} */
const slicesOf = ({ slices }) => [...slices.values()];

/** @type {Record<string, (state: State) => boolean>} whether the cluster has what a reason needs */
const POSSIBLE = {
	taint: (state) =>
		slicesOf(state).some(({ models = [] }) => models.some((/** @type {any} */ { taints = [] }) => taints.length > 0)),
	counters: (state) => slicesOf(state).some(({ counters = {} }) => Object.keys(counters).length > 0),
	elsewhere: ({ claims }) => [...claims.values()].some(({ devices = [] }) => devices.length > 0),
	incomplete: () => false,
};
const STOPS = ["selector", "constraint", "held", "taint", "counters", "elsewhere", "incomplete", "empty", "nothing"];

/**
 * The search for devices on the node `about`, and its places; null if the node was not searched.
 * @param {Case} question
 */
function searchOf({ event, step, ask }) {
	const node = event.nodes.findIndex((/** @type {any} */ entry) => entry.node === ask.about);
	const places = placesOf(event);
	const first = places.findIndex((place) => place.node === node);
	const last = places.findLastIndex((place) => place.node === node);
	return node < 0 ? null : { search: event.nodes[node], from: { step, frame: first }, shown: { step, frame: last } };
}

/**
 * The answer to the question about why the pod cannot have devices on the node `about`; null if there are several
 * reasons, or the node was not searched.
 * @param {Case} question
 */
function answerWhatStops(question) {
	const own = searchOf(question);
	if (!own) return null;
	const { tries = [], pools = [], outcome } = own.search;
	const kinds = new Set([
		...tries.map((/** @type {any} */ entry) => entry.kind),
		...pools.map((/** @type {any} */ entry) => entry.problem ?? ""),
	]);
	const stops = decisiveReasons(STOPS.filter((kind) => kinds.has(kind)));
	if (!stops.length && !pools.length) stops.push("empty");
	if (outcome !== "found" && stops.length !== 1) return null;
	const right = outcome === "found" ? "nothing" : stops[0];
	const possible = STOPS.filter((kind) => kind === right || (POSSIBLE[kind]?.(question.before) ?? true));
	return makeAnswer(question, "word", possible, right, own);
}

/**
 * The reasons that decide: devices that do not match ("selector") only if there is no other reason, devices in use
 * ("held") only if there is none but those.
 * @param {string[]} kinds
 */
function decisiveReasons(kinds) {
	for (const light of ["selector", "held"]) if (kinds.length > 1) kinds = kinds.filter((kind) => kind !== light);
	return kinds;
}

/**
 * The answer to the question about the number of devices that the search gives back on the node `about`; null if the
 * node was not searched to the end.
 * @param {Case} question
 */
function answerHowManyReturned(question) {
	const own = searchOf(question);
	if (!own || own.search.unfinished) return null;
	const right = (own.search.tries ?? []).filter((/** @type {any} */ entry) => entry.kind === "returned").length;
	return makeAnswer(question, "number", numbersAround(right, right + 3), right, own);
}

/**
 * The answer to the question about the node with the highest total; null if several have it, or the release chooses
 * from a heap.
 * @param {Case} question
 */
function answerWinner(question) {
	const model = scores(question.state);
	const chosen = stepOf(question, 1, "HostSelected");
	const host = /** @type {any} */ (chosen === null ? null : question.store.event(chosen));
	if (!model || !host || host.by_heap) return null;
	const best = Math.max(...model.totals);
	if (model.totals.filter((points) => points === best).length !== 1) return null;
	const names = inRows(question.state, model.names);
	return makeAnswer(question, "node", names, host.node, { from: { step: question.step, frame: 1 } });
}

/**
 * The answer to the question about the chosen node: that of `answerWinner` at the attempt's ScoresComputed; null if
 * there is no such event or no answer there. @param {Case} question
 */
function answerChosenNode(question) {
	const step = stepOf(question, -1, "ScoresComputed");
	if (step === null) return null;
	const [event, state] = [question.store.event(step), question.store.stateAfter(step)];
	return event && state ? answerWinner({ ...question, step, event, state }) : null;
}

/**
 * The answer to the question about the total of the node `about`; null if the node has no scores.
 * @param {Case} question
 */
function answerTotal(question) {
	const model = scores(question.state);
	const i = model?.names.indexOf(question.ask.about ?? "") ?? -1;
	if (!model || i < 0) return null;
	const right = model.totals[i];
	const near = [...model.plugins.map((plugin) => right - plugin.weighted[i]), ...model.totals, right + 100];
	const options = [...new Set([right, ...near.filter((points) => points > 0)])]
		.slice(0, MAX_TOTALS)
		.sort((a, b) => a - b);
	return makeAnswer(question, "number", options, right, {
		from: { step: question.step, frame: framesOf(question.event) - 2 },
	});
}

/**
 * The result of the evaluation, if neither chance nor the order of nodes decided it; otherwise null.
 * @param {Case} question
 */
function clearChoice(question) {
	const { event } = question;
	const { candidates, chosen, criteria } = preemptionIn(event);
	return chosen && event.nominated_node === chosen.node && criteria < 6 && !event.more ? { candidates, chosen } : null;
}

/**
 * The answer to the question about the node on which pods are evicted; null if chance or the order of nodes decided
 * it.
 * @param {Case} question
 */
function answerNominatedNode(question) {
	const choice = clearChoice(question);
	if (!choice) return null;
	const { candidates, chosen } = choice;
	const names =
		candidates.length > 1 ? candidates.map((candidate) => candidate.node) : [...question.before.nodes.keys()];
	const frame = candidates.length > 1 ? 1 : 0;
	return makeAnswer(question, "node", names, chosen.node, { from: { step: question.step, frame } });
}

/**
 * The answer to the question about the victim; null if there are several, or if chance or the order of nodes decided
 * it.
 * @param {Case} question
 */
function answerVictim(question) {
	const choice = clearChoice(question);
	if (choice?.chosen.victims.length !== 1) return null;
	const all = choice.candidates.flatMap((candidate) => candidate.removed);
	const frame = preemptionFrames(question.event) > 2 ? 1 : 0;
	return makeAnswer(question, "pod", all, choice.chosen.victims[0], { from: { step: question.step, frame } });
}

/**
 * The answer to the question about the number of victims; null if chance or the order of nodes decided it.
 * @param {Case} question
 */
function answerHowManyVictims(question) {
	const choice = clearChoice(question);
	if (!choice) return null;
	const right = choice.chosen.victims.length;
	return makeAnswer(
		question,
		"number",
		numbersAround(right, Math.max(2, ...choice.candidates.map((candidate) => candidate.removed.length))),
		right,
	);
}

/** The answer to the question whether evicting pods helps. @param {Case} question */
function answerPreemptionHelps(question) {
	return wordAnswer(
		question,
		["Nominated", "Unschedulable"],
		question.event.nominated_node ? "Nominated" : "Unschedulable",
	);
}

/**
 * The answer to the question about the seconds until the pod may be tried again; null if the pod is not in backoffQ.
 * @param {Case} question
 */
function answerWaitingTime(question) {
	const { event, state } = question;
	if (event.queue !== "backoff" || event.backoff_until == null) return null;
	const right = Math.round((event.backoff_until - state.time) * 100) / 100;
	const options = [...new Set([right, ...SECONDS])].sort((a, b) => a - b);
	return makeAnswer(question, "number", options, right);
}

/**
 * The answer to the question about the pod that a cluster event moves; null if it moves several.
 * @param {Case} question
 */
function answerWoken(question) {
	const { store, step, event, before } = question;
	const waiting = [...before.pods.values()].filter((pod) => pod.place === "unschedulable" || pod.place === "gated");
	for (const by of /** @type {(1 | -1)[]} */ ([1, -1])) {
		for (const { event: other } of store.walk(step + by, by)) {
			if (["CycleStarted", "ClockAdvanced", "AttemptFinished", "RunStarted"].includes(other.type)) break;
			if (other.type === "PodEnqueued" && other.event === event.event) return null;
		}
	}
	return makeAnswer(
		question,
		"pod",
		waiting.map((pod) => pod.summary.pod),
		event.pod,
	);
}

const ENDS = { Scheduled: "HostSelected", Nominated: "PodNominated", Unschedulable: "SchedulingFailed" };

/**
 * The answer to the question about the outcome of the attempt; null if the event that shows it is not found.
 * @param {Case} question
 */
function answerOutcome(question) {
	const { event } = question;
	const end = /** @type {string | undefined} */ (ENDS[/** @type {keyof typeof ENDS} */ (event.outcome)]);
	const began = stepOf(question, -1, "CycleStarted");
	const shown = end ? stepOf(question, -1, end) : null;
	if (began === null || shown === null) return null;
	return makeAnswer(question, "word", Object.keys(ENDS), event.outcome, {
		from: { step: began + 1, frame: 0 },
		shown: { step: shown, frame: 0 },
	});
}

/** The answer to the question about the actor of the event; null for the scheduler. @param {Case} question */
function answerWhoActs(question) {
	const { by } = question.event;
	return by ? makeAnswer(question, "actor", [...new Set([...ACTORS, by])].sort(), by) : null;
}

/**
 * The number of events of the same type and actor at the same time, this one among them.
 * @param {Case} question
 * @param {(event: any) => boolean} [also] a further condition
 */
function eventsAtOnce({ store, step, event }, also = () => true) {
	let n = 1;
	for (const by of /** @type {(1 | -1)[]} */ ([1, -1])) {
		for (const { event: candidate } of store.walk(step + by, by)) {
			const other = /** @type {any} */ (candidate);
			if (/^(CycleStarted|ClockAdvanced|RunStarted)$/.test(other.type)) break;
			if (other.type === event.type && other.by === event.by && also(other)) n += 1;
		}
	}
	return n;
}

/**
 * The answer to the question about the number of objects of a kind that the actor creates at once; null for other
 * actions, and for the scheduler.
 * @param {Case} question
 */
function answerHowManyMade(question) {
	const { kind, action, by } = question.event;
	if (!by || action !== "create") return null;
	const right = eventsAtOnce(question, (other) => other.kind === kind && other.action === action);
	return makeAnswer(question, "number", numbersAround(right, right + 3), right);
}

/**
 * The answer to the question about the new number of a workload's replicas; null if no actor changes it.
 * @param {Case} question
 */
function answerNewSize(question) {
	const { kind, namespace, name, workload, by } = question.event;
	const before = question.before.workloads.get(workloadKey({ kind, namespace, name }))?.state.size ?? 0;
	if (!by || workload.size == null || workload.size === before) return null;
	return makeAnswer(
		question,
		"number",
		numbersAround(workload.size, Math.max(before, workload.size) + 2),
		workload.size,
	);
}

/**
 * Pods of the same owner, or without one those of the same node, that are not being deleted.
 * @param {Case} question
 */
function siblings({ before, event }) {
	const own = before.pods.get(event.pod);
	const owner = ownerOf(before, own);
	return [...before.pods.values()].filter(
		(pod) => pod.gone_at == null && (owner ? ownerOf(before, pod) === owner : pod.node && pod.node === own?.node),
	);
}

/**
 * The workload that owns a pod: its Deployment, not its ReplicaSet; "" if there is none.
 * @param {State} state @param {PodState} [pod]
 */
function ownerOf(state, pod) {
	const owner = pod?.summary.owner ?? "";
	const [kind, name] = owner.split("/");
	const namespace = pod?.summary.pod.split("/")[0] ?? "";
	return state.workloads.get(workloadKey({ kind, namespace, name: name ?? "" }))?.state.owner || owner;
}

/**
 * The answer to the question about the pod that is deleted; null if several pods of its owner, or node, are deleted at
 * this time.
 * @param {Case} question
 */
function answerWhichPodGoes(question) {
	const keys = siblings(question).map((pod) => pod.summary.pod);
	if (eventsAtOnce(question, (other) => keys.includes(other.pod)) > 1) return null;
	return makeAnswer(question, "pod", keys, question.event.pod);
}

/**
 * The answer to the question about the number of pods of an owner, or node, that are deleted at this time.
 * @param {Case} question
 */
function answerHowManyGo(question) {
	const keys = siblings(question).map((pod) => pod.summary.pod);
	const right = eventsAtOnce(question, (other) => keys.includes(other.pod));
	return makeAnswer(question, "number", numbersAround(right, keys.length), right);
}

/**
 * The answer to the question about the affected node; null if there are several or none.
 * @param {Case} question @param {string[]} names
 */
function answerWhichNode(question, names) {
	if (names.length !== 1) return null;
	return makeAnswer(question, "node", inRows(question.before, [...question.before.nodes.keys()]), names[0]);
}

/**
 * The answer to a question about a duration; other options within 20 % of the right one are left out.
 * @param {Case} question @param {number[]} others @param {number} right @param {Partial<Answer>} [where]
 */
function secondsAround(question, others, right, where) {
	const options = [...others.filter((seconds) => Math.abs(seconds - right) > right / 5), right];
	return makeAnswer(
		question,
		"number",
		options.sort((a, b) => a - b),
		right,
		where,
	);
}

/**
 * The answer to the question about the seconds from the end of a pod until its owner creates the next one; null if it
 * creates none.
 * @param {Case} question
 */
function answerHowLongUntilNext(question) {
	const { store, step, event, state } = question;
	const owner = state.pods.get(event.pod)?.summary.owner;
	for (const { event: candidate, step: at } of store.walk(step + 1, 1)) {
		const created = /** @type {any} */ (candidate);
		if (created.type !== "ObjectApplied" || created.action !== "create" || created.pod?.owner !== owner) continue;
		const right = Math.round((store.stateAfter(at)?.time ?? 0) - state.time);
		return secondsAround(question, RETRIES, right, {
			from: { step: step + 1, frame: 0 },
			shown: { step: at, frame: 0 },
		});
	}
	return null;
}

/**
 * The answer to the question about the seconds since the kubelet of the node went silent; null if that was not
 * requested in the run.
 * @param {Case} question
 */
function answerHowLongSilent(question) {
	const { store, step, event } = question;
	for (const { event: candidate, step: at } of store.walk(step - 1, -1)) {
		const request = /** @type {any} */ (candidate);
		if (request.type !== "RequestMade" || request.verb !== "failNode" || !request.about.includes(event.name)) continue;
		const right = Math.round(question.state.time - (store.stateAfter(at)?.time ?? 0));
		return secondsAround(question, SILENCE, right);
	}
	return null;
}

const JUDGEMENTS = ["stays", "unneeded", "delete", "replace"];

/**
 * The answer to the question about the node that an autoscaler removes or could remove; null if there are several or
 * none.
 * @param {Case} question
 */
function answerWhichNodeGoes(question) {
	const { nodes } = /** @type {import("../trace/trace").ScaleDownEvaluated} */ (question.event);
	const going = nodes.filter(({ outcome }) => outcome !== "stays");
	const names = going.map(({ node }) => node);
	return answerWhichNode(question, names);
}

/**
 * The answer to the question about the group, or NodePool, that gets nodes; null if several do, or none.
 * @param {Case} question
 */
function answerWhichGroupGrows(question) {
	const { options = [], refusals = [] } = /** @type {import("../trace/trace").ScaleUpEvaluated} */ (question.event);
	const chosen = new Set(options.filter((option) => option.chosen).map(({ group }) => group));
	if (chosen.size !== 1) return null;
	const groups = [...options, ...refusals].map(({ group }) => group ?? "").filter(Boolean);
	return makeAnswer(question, "group", groups.sort(), [...chosen][0]);
}

/** The answer to the question about the number of nodes that the autoscaler adds. @param {Case} question */
function answerHowManyNodes(question) {
	const { options = [] } = /** @type {import("../trace/trace").ScaleUpEvaluated} */ (question.event);
	const right = options.reduce((sum, { chosen, nodes }) => sum + (chosen ? nodes : 0), 0);
	return makeAnswer(question, "number", numbersAround(right, right + 3), right);
}

/**
 * The answer to the question about the autoscaler's decision on the node `about`; null if it did not consider the
 * node.
 * @param {Case} question
 */
function answerWhatOfTheNode(question) {
	const { nodes } = /** @type {import("../trace/trace").ScaleDownEvaluated} */ (question.event);
	const judged = nodes.find(({ node }) => node === question.ask.about);
	return judged ? wordAnswer(question, JUDGEMENTS, judged.outcome) : null;
}

/** Whether an eviction was granted or refused, as a key. @param {any} event */
const answerWord = ({ code }) => (code === 201 ? "granted" : "refused");
/** The result of a resize of a node group, as a key. @param {any} event */
const resizeWord = ({ delta, error = "" }) => (error ? "refused" : delta > 0 ? "grows" : "shrinks");
