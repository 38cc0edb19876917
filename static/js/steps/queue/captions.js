// @ts-check
/** Captions of the queue, the clock and the cluster's objects. */

import { has, list, num, parts, t } from "../../shared/i18n.js";
import { count, decimal, quantity, seconds } from "../../shared/units.js";
import { activeOrder } from "./model.js";
import { node, ordinal, pod, priorityOf } from "../parts/marks.js";

/** What a pod asks for: "1.5 cpu and 2 GiB". @param {PodState | undefined} record @returns {Part[]} */
function asks(record) {
  const wanted = Object.entries(record?.summary.requests ?? {}).filter(([, value]) => value > 0);
  if (!wanted.length) return [t("asks.nothing")];
  return list(wanted.map(([name, value]) => num(quantity(name, value), `request:${record?.summary.pod}`)));
}

/** @param {Context} context @returns {Partial<Caption>} */
function enqueued({ state, event, hero }) {
  const record = state.pods.get(event.pod);
  const values = {
    pod: pod(event.pod, hero), event: event.event, priority: num(priorityOf(state, event.pod), `priority:${event.pod}`),
    attempts: num(ordinal(record?.attempts ?? 0), `pod:${event.pod}`), fails: record?.attempts ?? 0,
  };
  const why = hintsWhy(event);
  if (event.queue === "active") return activeCaption(state, event, values, why);
  if (event.queue === "unschedulable") {
    const plugins = record?.unschedulable_plugins ?? [];
    return {
      eyebrow: parts("eyebrow.unschedulable"),
      sentence: parts("queue.unschedulable", values),
      why: plugins.length ? parts("queue.unschedulable.why", { plugins: list(plugins), n: plugins.length, pod: values.pod }) : parts("queue.unschedulable.nobody"),
    };
  }
  const wait = (event.backoff_until ?? state.time) - state.time;
  const named = { ...values, wait: num(`${decimal(Math.max(0, wait))} s`, `backoff:${event.pod}`) };
  const over = wait <= 0;
  const late = record && record.attempts > 0;
  return {
    eyebrow: parts("eyebrow.backoff"),
    sentence: parts(!late ? "queue.backoff.first" : over ? "queue.backoff.over" : "queue.backoff", named),
    why: [...why, ...(why.length ? [" "] : []), ...parts(over ? "queue.backoff.over.why" : "queue.backoff.why")],
  };
}

/** @param {State} state @param {any} event @param {Record<string, any>} values @param {Part[]} why @returns {Partial<Caption>} */
function activeCaption(state, event, values, why) {
  const order = activeOrder(state);
  const place = order.indexOf(event.pod) + 1;
  const fresh = event.event === "UnschedulablePodAdd";
  const alone = order.length === 1 ? ".alone" : "";
  const key = `queue.active${fresh ? "" : ".moved"}${alone}`;
  const filled = { ...values, cause: causeOf(event), place: num(ordinal(place), `priority:${event.pod}`), n: num(order.length), rest: place - 1 };
  const ahead = order.slice(0, place - 1).map((key) => pod(key));
  return {
    eyebrow: parts("eyebrow.active"),
    sentence: parts(key, filled),
    why: why.length ? why : ahead.length ? parts("queue.active.ahead", { pods: list(ahead) }) : parts(alone ? "queue.active.only" : "queue.active.first"),
  };
}

/** An event that wakes nobody. @param {Context} context @returns {Partial<Caption>} */
function keptWaiting({ event, hero }) {
  const plugins = [...new Set(event.pods.flatMap((/** @type {any} */ one) => one.hints.map((/** @type {any} */ hint) => hint.plugin)))];
  const pods = event.pods.map((/** @type {any} */ one) => pod(one.pod, hero));
  const more = event.count > pods.length ? [t("list.more", { n: event.count - pods.length })] : [];
  const values = { cause: causeOf(event), pods: list([...pods, ...more]), plugins: list(plugins), n: plugins.length, count: event.count };
  return { eyebrow: parts("eyebrow.kept"), sentence: parts("queue.kept", values), why: parts("queue.kept.why", values) };
}

/** A cluster event in words. @param {any} event */
function causeOf(event) {
  return has(`event.${event.event}`) ? t(`event.${event.event}`) : event.event;
}

/** Which plugin's hint woke the pod. @param {any} event @returns {Part[]} */
function hintsWhy(event) {
  const hints = event.hints ?? [];
  const wakes = hints.filter((/** @type {any} */ one) => one.hint === "Queue").map((/** @type {any} */ one) => one.plugin);
  if (!wakes.length) return [];
  if (event.event.includes("GatesEliminated")) return parts("queue.hints.gate");
  return parts("queue.hints", { plugins: list(wakes), event: event.event, n: wakes.length });
}

/** @param {Context} context @returns {Partial<Caption>} */
function cycleStarted({ state, event, hero }) {
  const waiting = activeOrder(state);
  const priority = priorityOf(state, event.pod);
  const values = { pod: pod(event.pod, hero), priority: num(priority, `priority:${event.pod}`), n: num(waiting.length) };
  const second = waiting[0] ? priorityOf(state, waiting[0]) : null;
  const early = event.source === "backoff";
  const key = early ? "cycle.backoff" : second === null ? "cycle.only" : "cycle.first";
  const equal = second === priority;
  const why = early
    ? parts("cycle.backoff.why")
    : second === null
      ? parts("cycle.only.why")
      : parts(equal ? "cycle.equal" : "cycle.lower", { other: pod(waiting[0]), priority: num(second, `priority:${waiting[0]}`), pod: pod(event.pod, hero) });
  const again = event.pod_attempts > 1 ? [" ", ...parts("cycle.again", { n: ordinal(event.pod_attempts) })] : [];
  return { sentence: parts(key, values), why: [...why, ...again], next: state.nodes.size ? [] : parts("next.cycle.none") };
}

/** What an update changed. @param {any} event @returns {Part[]} */
function changesOf(event) {
  return list((event.changes ?? []).map((/** @type {import("../../trace/trace").FieldChange} */ { field, name, before = null, after = null }) => {
    const amounts = field === "allocatable" || field === "request";
    const text = (/** @type {any} */ value) => (amounts ? quantity(name, value ?? 0) : String(value));
    const how = before === null ? "added" : after === null ? "removed" : "changed";
    return t(`change.${amounts ? "amount" : field}.${how}`, { name, before: text(before), after: text(after) });
  }), 3);
}

/** @param {Context} context @returns {Partial<Caption>} */
function objectApplied({ state, event, hero }) {
  const action = event.action;
  if (event.kind === "Pod" && event.pod) {
    const key = event.pod.pod;
    const values = { pod: pod(key, hero), priority: num(event.pod.priority ?? 0, `priority:${key}`), asks: asks(state.pods.get(key)), node: node(event.pod.node ?? "") };
    const bound = event.pod.node && action === "create" ? ".bound" : "";
    const gates = event.pod.gates ?? [];
    const gated = action === "update" && state.pods.get(key)?.place === "gated";
    const kind = gated ? (gates.length ? ".gates" : ".ungated") : event.changes?.length ? ".what" : bound;
    const why = gated ? parts(`object.pod.update${kind}.why`) : action === "create" && !bound ? parts("object.pod.why") : [];
    return { eyebrow: parts("eyebrow.change"), sentence: parts(`object.pod.${action}${kind}`, { ...values, changes: changesOf(event), gates: list(gates), n: gates.length }), why };
  }
  if (event.kind === "Node" && event.node) {
    const room = event.node.allocatable;
    const values = { node: node(event.name), cpu: num(quantity("cpu", room.cpu ?? 0), `node:${event.name}`), memory: num(quantity("memory", room.memory ?? 0), `node:${event.name}`) };
    const what = event.changes?.length ? ".what" : "";
    return { eyebrow: parts("eyebrow.change"), sentence: parts(`object.node.${action}${what}`, { ...values, changes: changesOf(event) }), why: parts("object.node.why") };
  }
  const volume = hero && event.kind.startsWith("PersistentVolume");
  return { eyebrow: parts("eyebrow.change"), sentence: parts(`object.other.${action}`, { kind: event.kind, name: event.name }), why: volume ? parts("object.volume.why", { pod: pod(hero, hero) }) : [] };
}

/** @param {Context} context @returns {Partial<Caption>} */
function objectDeleted({ event }) {
  if (event.kind === "Pod") {
    const evicted = event.cause === "preemption" ? ".evicted" : "";
    return {
      eyebrow: parts("eyebrow.change"),
      sentence: parts(`object.pod.delete${evicted}`, { pod: pod(`${event.namespace}/${event.name}`) }),
      why: parts("object.pod.delete.why"),
    };
  }
  const key = event.kind === "Node" ? "object.node.delete" : "object.other.delete";
  return { eyebrow: parts("eyebrow.change"), sentence: parts(key, { node: node(event.name), kind: event.kind, name: event.name }) };
}

/** @param {Context} context @returns {Partial<Caption>} */
function attemptFinished({ state, event, hero }) {
  const waiting = activeOrder(state).length;
  const place = state.pods.get(event.pod)?.place;
  const still = event.outcome === "Scheduled" && (place === "waiting" || place === "binding") ? `.${place}` : ""; // its binding cycle goes on
  return {
    eyebrow: parts("eyebrow.attempt", { n: event.attempt }),
    sentence: parts(`attempt.${event.outcome}${still}`, { n: num(event.attempt), pod: pod(event.pod, hero), node: node(event.node || (state.pods.get(event.pod)?.nominated_node ?? "")) }),
    why: waiting ? parts("attempt.waiting", { n: num(waiting) }) : parts("attempt.nobody"),
  };
}

/** @param {Context} context @returns {Partial<Caption>} */
function runStarted({ state, event }) {
  const zones = new Set([...state.nodes.values()].map((one) => one.summary.labels?.["topology.kubernetes.io/zone"] ?? "")).size;
  const running = event.pods.filter((/** @type {any} */ pod) => pod.node).length;
  const named = [...state.nodes.values()].some((one) => "topology.kubernetes.io/zone" in (one.summary.labels ?? {}));
  const key = state.nodes.size ? `run.started${running ? "" : ".empty"}${named ? "" : ".nozone"}` : "run.started.none";
  return {
    eyebrow: parts("eyebrow.start"),
    sentence: parts(key, { n: num(count(state.nodes.size)), pods: num(count(running)), zones: num(zones) }),
    why: state.nodes.size ? parts("run.started.why") : parts("run.started.nonodes"),
  };
}

/** @param {State} state @param {any} event @returns {string[]} */
function gatesOf(state, event) {
  return state.pods.get(event.pod)?.summary.gates ?? [event.plugin];
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
  RunStarted: runStarted,
  ClockAdvanced: ({ event }) => ({
    eyebrow: parts("eyebrow.clock"),
    sentence: parts("clock.sentence", { time: num(seconds(event.time)), cause: t(`clock.${event.cause}`) }),
    why: parts("clock.why"),
  }),
  ObjectApplied: objectApplied,
  ObjectDeleted: objectDeleted,
  PodEnqueued: enqueued,
  PodsKeptWaiting: keptWaiting,
  PodGated: ({ event, state, hero }) => ({
    sentence: parts("queue.gated", { pod: pod(event.pod, hero), gates: list(gatesOf(state, event)), n: gatesOf(state, event).length }),
    why: parts("queue.gated.why", { plugin: event.plugin }),
  }),
  PodIgnored: ({ event, hero }) => ({ eyebrow: parts("eyebrow.change"), sentence: parts("queue.ignored", { pod: pod(event.pod, hero), scheduler: event.scheduler }), why: parts("queue.ignored.why") }),
  PodActivated: ({ event, hero }) => ({ eyebrow: parts("eyebrow.active"), sentence: parts("queue.activated", { pod: pod(event.pod, hero), by: pod(event.by, hero) }), why: parts("queue.activated.why") }),
  CycleStarted: cycleStarted,
  AttemptFinished: attemptFinished,
  RunFinished: ({ event }) => ({
    eyebrow: parts("eyebrow.end"),
    sentence: parts(!event.pending.length ? "run.finished.done" : Object.keys(event.bound).length ? "run.finished" : "run.finished.nobody", { time: num(seconds(event.time)), bound: num(Object.keys(event.bound).length), pending: num(event.pending.length) }),
    why: event.pending.length ? parts("run.finished.pending", { pods: list(event.pending.map((/** @type {string} */ key) => pod(key)), 5) }) : [],
  }),
};
