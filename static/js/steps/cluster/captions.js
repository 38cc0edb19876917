// @ts-check
/** Captions of the clock, and of the cluster's objects. */

import { list, num, parts, t } from "../../shared/i18n.js";
import { cutName, quantity, seconds } from "../../shared/units.js";
import { node, pod } from "../parts/marks.js";
import { storageWords } from "./storage_words.js";

/** What a pod asks for: "1.5 cpu and 2 GiB". @param {PodState | undefined} record @returns {Part[]} */
function asks(record) {
	const wanted = Object.entries(record?.summary.requests ?? {}).filter(([, value]) => value > 0);
	if (!wanted.length) return [t("asks.nothing")];
	return list(wanted.map(([name, value]) => num(quantity(name, value), `request:${record?.summary.pod}`)));
}

/** What an update changed. @param {any} event @returns {Part[]} */
function changesOf(event) {
	return list(
		(event.changes ?? []).map(
			(/** @type {import("../../trace/trace").FieldChange} */ { field, name, before = null, after = null }) => {
				const amounts = field === "allocatable" || field === "request";
				const text = (/** @type {any} */ value) =>
					amounts
						? quantity(name, value ?? 0)
						: field === "storage"
							? quantity("memory", value ?? 0)
							: cutName(String(value), 26);
				const how = before === null ? "added" : after === null ? "removed" : "changed";
				return t(`change.${amounts ? "amount" : field}.${how}`, { name, before: text(before), after: text(after) });
			},
		),
		3,
	);
}

/** @param {Context} context @returns {Partial<Caption>} */
function objectApplied({ state, event, hero }) {
	const action = event.action;
	if (event.kind === "Pod" && event.pod) {
		const key = event.pod.pod;
		const values = {
			pod: pod(key, hero),
			priority: num(event.pod.priority ?? 0, `priority:${key}`),
			asks: asks(state.pods.get(key)),
			node: node(event.pod.node ?? ""),
		};
		const bound = event.pod.node && action === "create" ? ".bound" : "";
		const gates = event.pod.gates ?? [];
		const gated = action === "update" && state.pods.get(key)?.place === "gated";
		const kind = gated ? (gates.length ? ".gates" : ".ungated") : event.changes?.length ? ".what" : bound;
		const why = gated
			? parts(`object.pod.update${kind}.why`)
			: action === "create" && !bound
				? parts("object.pod.why")
				: [];
		return {
			eyebrow: parts("eyebrow.change"),
			sentence: parts(`object.pod.${action}${kind}`, {
				...values,
				changes: changesOf(event),
				gates: list(gates),
				n: gates.length,
			}),
			why,
		};
	}
	if (event.kind === "Node" && event.node) {
		const room = event.node.allocatable;
		const values = {
			node: node(event.name),
			cpu: num(quantity("cpu", room.cpu ?? 0), `node:${event.name}`),
			memory: num(quantity("memory", room.memory ?? 0), `node:${event.name}`),
		};
		const what = event.changes?.length ? ".what" : "";
		return {
			eyebrow: parts("eyebrow.change"),
			sentence: parts(`object.node.${action}${what}`, { ...values, changes: changesOf(event) }),
			why: parts("object.node.why"),
		};
	}
	const volume = hero && event.kind.startsWith("PersistentVolume");
	const what =
		action === "create" && event.storage
			? [storageWords(event.storage).join(t("list.comma"))].filter(Boolean)
			: changesOf(event);
	const values = { kind: event.kind, name: cutName(event.name, 26), changes: what };
	return {
		eyebrow: parts("eyebrow.change"),
		sentence: parts(`object.other.${action}${what.length ? ".what" : ""}`, values),
		why: volume ? parts("object.volume.why", { pod: pod(hero, hero) }) : [],
	};
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
	return {
		eyebrow: parts("eyebrow.change"),
		sentence: parts(key, { node: node(event.name), kind: event.kind, name: event.name }),
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
