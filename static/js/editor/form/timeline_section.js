// @ts-check
/** The builder's timeline: what happens to the cluster, and when. */
import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { choice, input, section, table } from "./form.js";
import * as shapes from "./shapes.js";

/** @typedef {import("./form.js").Desk} Desk */

/** @param {Desk} desk @returns {import("./documents.js").Ref} the Scenario document, added when there is none */
export function scenarioOf(desk) {
	if (!desk.documents.of("Scenario").length) desk.documents.add(shapes.scenario());
	return desk.documents.of("Scenario")[0];
}

/** @param {Desk} desk */
export function timelineSection(desk) {
	const { documents, edit } = desk;
	const events = documents.of("Scenario")[0]?.value.spec?.events ?? [];
	const write = (/** @type {any[]} */ next) => edit(() => documents.set(scenarioOf(desk), ["spec", "events"], next));
	const add = () => write([...events, { at: (events.at(-1)?.at ?? 0) + 2, create: firstEvent(desk) }]);
	const rows = events.map((/** @type {any} */ event, /** @type {number} */ index) => {
		const action = event.create ? "create" : event.update ? "update" : "delete";
		const change = (/** @type {any} */ next) =>
			write(events.map((/** @type {any} */ old, /** @type {number} */ i) => (i === index ? next : old)));
		const say = (/** @type {string} */ field) => `${t("builder.event")} ${index + 1} ${t(`builder.${field}`)}`;
		return h(
			"tr",
			{ key: `event:${index}` },
			input(say("at"), event.at, (text) => change({ ...event, at: Number(text) || 0 }), { inputmode: "decimal" }),
			choice(
				say("what"),
				action === "update" ? "update" : `${action}:${event[action].kind ?? "Pod"}`,
				choices(action),
				(next) => change({ at: event.at, ...eventOf(desk, next) }),
			),
			...(action === "delete"
				? [
						choice(say("name"), event.delete.name ?? "", targets(desk, event.delete.kind), (name) =>
							change({ at: event.at, delete: { ...event.delete, name } }),
						),
						h("td", null),
					]
				: action === "create" && ["Pod", "Node"].includes(event.create.kind)
					? createdObject(event.create, say, (object) => change({ ...event, create: object }))
					: [h("td", { colspan: 2 }, `${event[action].kind} ${event[action].metadata?.name ?? ""}`)]),
			h(
				"td",
				{ class: "narrow" },
				button(
					() => write(events.filter((/** @type {any} */ _, /** @type {number} */ i) => i !== index)),
					{ class: "icon-button", "aria-label": t("builder.remove", { name: `${t("builder.event")} ${index + 1}` }) },
					"✕",
				),
			),
		);
	});
	return section(
		"timeline",
		add,
		rows.length
			? table(["at", "what", "name", "cpu", ""], ...rows)
			: h("p", { class: "muted" }, t("builder.timeline.empty")),
	);
}

/**
 * Name and cpu of a pod or a node that comes.
 * @param {any} object
 * @param {(field: string) => string} say
 * @param {(object: any) => void} change
 */
function createdObject(object, say, change) {
	const { metadata = {}, spec = {}, status = {} } = object;
	const labels = metadata.labels?.["kubernetes.io/hostname"]
		? { ...metadata.labels, "kubernetes.io/hostname": "" }
		: metadata.labels;
	const rename = (/** @type {string} */ name) => {
		if (labels?.["kubernetes.io/hostname"] === "") labels["kubernetes.io/hostname"] = name;
		change({ ...object, metadata: { ...metadata, name, ...(labels ? { labels } : {}) } });
	};
	const name = input(say("name"), metadata.name, rename);
	if (object.kind === "Node") {
		const size = status.allocatable ? "allocatable" : "capacity";
		return [
			name,
			input(say("cpu"), status[size]?.cpu, (cpu) =>
				change({ ...object, status: { ...status, [size]: { ...status[size], cpu } } }),
			),
		];
	}
	const [first = {}, ...others] = spec.containers ?? [];
	const ask = (/** @type {string} */ cpu) =>
		change({
			...object,
			spec: {
				...spec,
				containers: [
					{ ...first, resources: { ...first.resources, requests: { ...first.resources?.requests, cpu } } },
					...others,
				],
			},
		});
	return [name, input(say("cpu"), first.resources?.requests?.cpu, ask)];
}

/** @param {string} action @returns {[string, string][]} */
function choices(action) {
	/** @type {[string, string][]} */
	const all = [
		["create:Pod", t("builder.podArrives")],
		["create:Node", t("builder.nodeJoins")],
		["delete:Pod", t("builder.podGoes")],
		["delete:Node", t("builder.nodeGoes")],
	];
	return action === "update" ? [["update", t("builder.changes")], ...all] : all;
}

/** @param {Desk} desk @param {string} kind @returns {[string, string][]} */
function targets({ documents }, kind) {
	const events = documents.of("Scenario")[0]?.value.spec?.events ?? [];
	const later = events
		.map((/** @type {any} */ event) => event.create)
		.filter((/** @type {any} */ object) => object?.kind === (kind ?? "Pod"));
	const names = [...documents.of(kind ?? "Pod").map((ref) => ref.value), ...later].map(
		(object) => object.metadata?.name,
	);
	return [...new Set(names)].map((name) => [name, name]);
}

/** @param {Desk} desk */
function firstEvent({ names }) {
	return shapes.pod({ name: shapes.freeName("late-", names), cpu: "500m", memory: "256Mi", labels: { app: "web" } });
}

/** @param {Desk} desk @param {string} choice_ */
function eventOf(desk, choice_) {
	const [action, kind] = choice_.split(":");
	if (action === "delete") return { delete: { kind, name: targets(desk, kind)[0]?.[0] ?? "" } };
	return {
		create:
			kind === "Node"
				? shapes.node({ name: shapes.freeName("n", desk.names), cpu: "4", memory: "8Gi" })
				: firstEvent(desk),
	};
}
