// @ts-check
/** Captions of the clock, and of the cluster's objects. */

import { h } from "../../shared/dom.js";
import { has, list, num, parts, t } from "../../shared/i18n.js";
import { shortPod } from "../../shared/names.js";
import { amount, cutName, nameInKey, quantity, seconds, short } from "../../shared/units.js";
import { allocatable, request, used } from "../../trace/room.js";
import { actorName } from "../controllers/view.js";
import { causeOf, workloadWritten } from "../controllers/words.js";
import { panel, row, table } from "../parts/panel.js";
import { node, pod, tidy } from "../parts/words.js";

/** The pod's requests: "1.5 cpu and 2 GiB". @param {PodState | undefined} record @returns {Part[]} */
function requestWords(record) {
	const wanted = Object.entries(record?.summary.requests ?? {}).filter(([, value]) => value > 0);
	if (!wanted.length) return [t("asks.nothing")];
	return list(wanted.map(([name, value]) => num(quantity(name, value), `request:${record?.summary.pod}`)));
}

const LETTERS = 26; // of an object's name, or of a value
const MAX_NAME = 40; // letters of a changed name
const MAX_CHANGES = 3;
const MAX_LETTERS = 76; // of all changes

/** The fields that an update changed. @param {any} event @returns {Part[]} */
function changesOf(event) {
	return firstChanges(
		(event.changes ?? []).map(
			(/** @type {import("../../trace/trace").FieldChange} */ { field, name, before = null, after = null }) => {
				const amounts = field === "allocatable" || field === "request";
				const text = (/** @type {any} */ value) =>
					amounts
						? quantity(name, value ?? 0)
						: field === "storage"
							? quantity("memory", value ?? 0)
							: cutName(String(value), LETTERS);
				const change = before === null ? "added" : after === null ? "removed" : "changed";
				const values = { name: cutName(name, MAX_NAME), before: text(before), after: text(after) };
				return t(`change.${amounts ? "amount" : field}.${change}`, values);
			},
		),
	);
}

/** The first changes, on about two lines, and the number of the others. @param {string[]} changes @returns {Part[]} */
export function firstChanges(changes) {
	const tooLong = changes.findIndex((_, i) => changes.slice(0, i + 1).join("").length > MAX_LETTERS);
	return list(changes, tooLong < 0 ? MAX_CHANGES : Math.max(2, Math.min(MAX_CHANGES, tooLong + 1)));
}

/** Whether an update cordons a node. @param {any} event */
const isCordon = ({ node, changes = [] }) =>
	node.unschedulable && changes.some((/** @type {any} */ { field }) => field === "unschedulable");

/** The caption of an object that was created or updated. @param {Context} context @returns {Partial<Caption>} */
function objectApplied(context) {
	const { event, subject } = context;
	const { action } = event;
	if (event.workload) return workloadWritten(context);
	if (event.kind === "Pod" && event.pod) return podApplied(context);
	if (event.kind === "Node" && event.node) return nodeApplied(event);
	if (event.claim) return claimApplied(context);
	if (event.slice && action === "create") {
		const { driver, name, devices = [] } = event.slice;
		return {
			eyebrow: parts("eyebrow.change"),
			sentence: parts("object.slice", { driver, name: cutName(name, LETTERS), n: devices.length }),
			why: parts("object.slice.why"),
		};
	}
	const volume = subject && event.kind.startsWith("PersistentVolume");
	const changes =
		action === "create" && event.storage
			? [storageWords(event.storage).join(t("list.comma"))].filter(Boolean)
			: changesOf(event);
	const values = { kind: event.kind, name: cutName(event.name, LETTERS), changes };
	return {
		eyebrow: parts("eyebrow.change"),
		sentence: parts(`object.other.${action}${changes.length ? ".what" : ""}`, values),
		why: volume ? parts("object.volume.why", { pod: pod(subject, subject) }) : causeOf(event.because),
	};
}

/** The caption of a pod that was created or updated. @param {Context} context @returns {Partial<Caption>} */
function podApplied({ state, event, subject }) {
	const { action, because } = event;
	const key = event.pod.pod;
	const gates = event.pod.gates ?? [];
	const values = {
		pod: pod(key, subject),
		priority: num(event.pod.priority ?? 0, `priority:${key}`),
		asks: requestWords(state.pods.get(key)),
		node: node(event.pod.node ?? ""),
		changes: changesOf(event),
		gates: list(gates),
		n: gates.length,
	};
	if (event.by && action === "create")
		return {
			eyebrow: parts("eyebrow.controllers"),
			sentence: parts("controllers.pod", { pod: pod(key, subject), by: actorName(event.by) }),
			why: [...causeOf(because), " ", ...parts("controllers.pod.why", values)],
		};
	const bound = event.pod.node && action === "create" ? ".bound" : "";
	const gated = action === "update" && state.pods.get(key)?.place === "gated";
	const kind = gated ? (gates.length ? ".gates" : ".ungated") : event.changes?.length ? ".what" : bound;
	const unexplained = action === "create" && !bound ? parts("object.pod.why") : [];
	const why = because ? causeOf(because) : unexplained;
	return {
		eyebrow: parts("eyebrow.change"),
		sentence: parts(`object.pod.${action}${kind}`, values),
		why: gated ? parts(`object.pod.update${kind}.why`) : why,
	};
}

/** The caption of a node that was created or updated. @param {any} event @returns {Partial<Caption>} */
function nodeApplied(event) {
	const { cpu = 0, memory = 0 } = event.node.allocatable;
	const values = {
		node: node(event.name),
		cpu: num(quantity("cpu", cpu), `node:${event.name}`),
		memory: num(quantity("memory", memory), `node:${event.name}`),
		changes: changesOf(event),
	};
	return {
		eyebrow: parts(event.by ? "eyebrow.controllers" : "eyebrow.change"),
		sentence: parts(`object.node.${event.action}${event.changes?.length ? ".what" : ""}`, values),
		why: event.because ? causeOf(event.because) : parts(isCordon(event) ? "object.node.cordon.why" : "object.node.why"),
	};
}

/** The caption of a written ResourceClaim, in PreBind or otherwise. @param {any} context @returns {Partial<Caption>} */
function claimApplied({ event, state, subject }) {
	const { devices = [], reserved_for: users = [], allocated } = event.claim;
	const written = allocated && subject && state.cycle.PodAssumed && users.includes(nameInKey(subject));
	const kind = written ? "written" : !allocated ? "empty" : users.length ? "allocated" : "unused";
	const key = `object.claim.${kind}`;
	const values = {
		name: cutName(event.name, LETTERS),
		devices: list(
			devices.map((/** @type {any} */ device) => num(device.device)),
			4,
		),
		n: devices.length,
		pods: list(users, 3),
		pod: pod(subject, subject),
	};
	return {
		eyebrow: parts(written ? "eyebrow.PreBind" : "eyebrow.change"),
		sentence: parts(key, values),
		why: has(`${key}.why`) ? parts(`${key}.why`, values) : [],
	};
}

/** The caption of an object that was deleted. @param {Context} context @returns {Partial<Caption>} */
function objectDeleted({ event }) {
	if (event.kind === "Pod") {
		const evicted = event.cause === "preemption" ? ".evicted" : "";
		return {
			eyebrow: parts("eyebrow.change"),
			sentence: parts(`object.pod.delete${evicted}`, { pod: pod(`${event.namespace}/${event.name}`) }),
			why: event.because ? causeOf(event.because) : parts("object.pod.delete.why"),
		};
	}
	const key = event.kind === "Node" ? "object.node.delete" : "object.other.delete";
	return {
		eyebrow: parts("eyebrow.change"),
		sentence: parts(key, { node: node(event.name), kind: event.kind, name: event.name }),
		why: causeOf(event.because),
	};
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
	ClockAdvanced: ({ event }) => ({
		eyebrow: parts("eyebrow.clock"),
		sentence: parts("clock.sentence", { time: num(seconds(event.time)), cause: t(`clock.${event.cause}`) }),
		why: parts("clock.why"),
	}),
	ObjectApplied: objectApplied,
	ObjectDeleted: objectDeleted,
};

const MAX_PODS = 12;

/**
 * The margin's panel for a resource of a node: how much its pods request; null if there is no such node.
 * @param {View} view @param {string} _kind @param {string} name @param {string} resource @returns {Child}
 */
export function explain(view, _kind, name, resource) {
	const record = view.state.nodes.get(name);
	if (!record) return null;
	const { state, subject } = view;
	const whole = allocatable(record, resource);
	const taken = used(record, resource);
	const pods = [...record.pods].sort(
		(a, b) => (state.pods.get(b)?.summary.priority ?? 0) - (state.pods.get(a)?.summary.priority ?? 0),
	);
	return panel(
		t("margin.roomlabel"),
		t("margin.on", { what: short(resource), node: name }),
		table(
			[t("pod"), t("margin.priority"), short(resource)],
			[
				pods
					.slice(0, MAX_PODS)
					.map((key) =>
						row(
							key,
							[
								shortPod(key),
								String(state.pods.get(key)?.summary.priority ?? 0),
								amount(resource, request(state, key, resource)),
							],
							key === subject ? "hot" : "",
						),
					),
				pods.length > MAX_PODS && row("more", [t("list.more", { n: pods.length - MAX_PODS }), "", ""]),
				row("sum", [t("margin.sumof", { all: amount(resource, whole) }), "", amount(resource, taken)], "sum"),
			],
		),
		h(
			"p",
			{ key: "share", class: "formula" },
			`${amount(resource, taken)} / ${amount(resource, whole)} = `,
			h("b", { class: "result" }, `${whole ? Math.round((100 * taken) / whole) : 0} %`),
		),
		h("p", { key: "note", class: "note" }, t("margin.requestsnote")),
	);
}

/** @typedef {import("../../trace/trace").Storage} Storage */

/** The nodes from which a volume can be used, in words. @param {Storage} volume */
export function reachText({ reach = "" }) {
	return reach ? t("storage.reach", { reach: tidy(reach) }) : t("storage.reach.all");
}

/** Describes a new volume or claim, in parts. @param {Storage} storage */
export function storageWords(storage) {
	const { kind, size = 0, storage_class: storageClass, bound = "" } = storage;
	const name = cutName(bound.slice(bound.indexOf("/") + 1), LETTERS);
	return [
		size && quantity("memory", size),
		storageClass && t("storage.class", { name: storageClass }),
		storage.reach && reachText(storage),
		bound && t(`storage.bound.${kind}`, { name }),
	].filter((text) => typeof text === "string" && text);
}
