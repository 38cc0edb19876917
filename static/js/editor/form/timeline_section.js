// @ts-check
/** The builder's timeline: events in the cluster with their times. */
import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { choice, input, section, table } from "./form.js";
import * as shapes from "./shapes.js";

/** @typedef {import("./form.js").Form} Form */

const OF_NODES = ["cordon", "uncordon", "drain", "failNode", "recoverNode"];

/** The Scenario document, added if there is none. @param {Form} form @returns {import("./documents.js").Ref} */
export function scenarioOf(form) {
	if (!form.documents.of("Scenario").length) form.documents.add(shapes.scenario());
	return form.documents.of("Scenario")[0];
}

/** The section with a row for each event of the timeline. @param {Form} form */
export function timelineSection(form) {
	const { documents, edit } = form;
	const events = documents.of("Scenario")[0]?.value.spec?.events ?? [];
	const write = (/** @type {any[]} */ next) => edit(() => documents.set(scenarioOf(form), ["spec", "events"], next));
	const add = () => write([...events, { at: (events.at(-1)?.at ?? 0) + 2, create: latePod(form) }]);
	const rows = events.map((/** @type {any} */ event, /** @type {number} */ index) => {
		const action = Object.keys(event).find((key) => key !== "at") ?? "";
		const change = (/** @type {any} */ next) =>
			write(events.map((/** @type {any} */ old, /** @type {number} */ i) => (i === index ? next : old)));
		const labelOf = (/** @type {string} */ field) => `${t("builder.event")} ${index + 1} ${t(`builder.${field}`)}`;
		return h(
			"tr",
			{ key: `event:${index}` },
			input(labelOf("at"), event.at, (text) => change({ ...event, at: Number(text) || 0 }), { inputmode: "decimal" }),
			choice(labelOf("what"), optionOf(event, action), actionOptions(optionOf(event, action)), (next) =>
				change({ at: event.at, ...newEvent(form, next) }),
			),
			...cellsOf(form, event, action, labelOf, change),
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
			? table(["at", "what", "name", "value", ""], ...rows)
			: h("p", { class: "muted" }, t("builder.timeline.empty")),
	);
}

/** The option that corresponds to an event: "create:Pod", "drain". @param {any} event @param {string} action */
function optionOf(event, action) {
	const { kind = "Pod" } = event[action] ?? {};
	const listed = ["Pod", "Node"].includes(kind) && (action === "create" || action === "delete");
	return listed ? `${action}:${kind}` : action;
}

/**
 * The cells of an event after its time and its action: two, or one that is as wide.
 * @param {Form} form
 * @param {any} event
 * @param {string} action
 * @param {(field: string) => string} labelOf
 * @param {(event: any) => void} change
 */
function cellsOf(form, event, action, labelOf, change) {
	const value = event[action];
	const setValue = (/** @type {any} */ next) => change({ at: event.at, [action]: next });
	if (action === "delete" && typeof value?.name !== "object")
		return [
			choice(labelOf("name"), value?.name ?? "", objectOptions(form, value?.kind), (name) =>
				setValue({ ...value, name }),
			),
			h("td", null),
		];
	if (action === "create" && ["Pod", "Node"].includes(value?.kind)) return createdObjectCells(value, labelOf, setValue);
	if (OF_NODES.includes(action) && (typeof value === "string" || typeof value?.node === "string")) {
		const node = typeof value === "string" ? value : value.node;
		const choose = (/** @type {string} */ name) =>
			setValue(typeof value === "string" ? name : { ...value, node: name });
		return [choice(labelOf("node"), node, withOwn(objectOptions(form, "Node"), node), choose), h("td", null)];
	}
	if (action === "evict" && typeof value === "string") return [input(labelOf("pod"), value, setValue), h("td", null)];
	if (action === "scale" || action === "rollout") {
		const target = `${value?.kind}/${value?.name}`;
		const choose = (/** @type {string} */ next) => {
			const [kind, name] = next.split("/");
			setValue({ ...value, kind, name });
		};
		const second =
			action === "scale"
				? input(labelOf("size"), value?.replicas, (text) => setValue({ ...value, replicas: Number(text) || 0 }))
				: choice(
						labelOf("rollout"),
						value?.action ?? "restart",
						["restart", "undo", "pause", "resume"].map((name) => [name, name]),
						(next) => setValue({ ...value, action: next }),
					);
		return [choice(labelOf("target"), target, withOwn(targetsOf(form), target), choose), second];
	}
	return [h("td", { colspan: 2 }, summaryOf(value))];
}

/** A short text for an event that the builder does not edit. @param {any} value */
function summaryOf(value) {
	if (typeof value !== "object" || value === null) return String(value ?? "");
	if (Array.isArray(value)) return value.join(", ");
	const named = value.name ?? value.metadata?.name ?? value.node ?? value.pod ?? value.owner ?? "";
	return [value.kind, typeof named === "object" ? Object.values(named).join(" ") : named].filter(Boolean).join(" ");
}

/**
 * The options, and the current value if it is not one of them.
 * @param {[string, string][]} options @param {string} own @returns {[string, string][]}
 */
const withOwn = (options, own) => (options.some(([key]) => key === own) ? options : [[own, own], ...options]);

/** Options for workloads to scale or roll out: "Deployment/web". @param {Form} form @returns {[string, string][]} */
export function targetsOf({ documents }) {
	return ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"].flatMap((kind) =>
		documents.of(kind).map((ref) => {
			const name = `${kind}/${ref.value.metadata?.name}`;
			return /** @type {[string, string]} */ ([name, name]);
		}),
	);
}

/**
 * The fields for the name and cpu of a created pod or node.
 * @param {any} object
 * @param {(field: string) => string} labelOf
 * @param {(object: any) => void} change
 */
function createdObjectCells(object, labelOf, change) {
	const { metadata = {}, spec = {}, status = {} } = object;
	const rename = (/** @type {string} */ name) => {
		const { labels } = metadata;
		const renamed = labels?.[shapes.HOSTNAME] ? { labels: { ...labels, [shapes.HOSTNAME]: name } } : {};
		change({ ...object, metadata: { ...metadata, name, ...renamed } });
	};
	const name = input(labelOf("name"), metadata.name, rename);
	if (object.kind === "Node") {
		const size = status.allocatable ? "allocatable" : "capacity";
		return [
			name,
			input(labelOf("cpu"), status[size]?.cpu, (cpu) =>
				change({ ...object, status: { ...status, [size]: { ...status[size], cpu } } }),
			),
		];
	}
	const [first = {}, ...others] = spec.containers ?? [];
	const setCpu = (/** @type {string} */ cpu) =>
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
	return [name, input(labelOf("cpu"), first.resources?.requests?.cpu, setCpu)];
}

/**
 * The options for an event's action, each with its key and its name on the page.
 * @param {string} action @returns {[string, string][]}
 */
function actionOptions(action) {
	/** @type {[string, string][]} */
	const all = [
		["create:Pod", t("builder.podArrives")],
		["create:Node", t("builder.nodeJoins")],
		["delete:Pod", t("builder.podGoes")],
		["delete:Node", t("builder.nodeGoes")],
		...[...OF_NODES, "evict", "scale", "rollout"].map(
			(verb) => /** @type {[string, string]} */ ([verb, t(`builder.verb.${verb}`)]),
		),
	];
	if (action === "update") return [["update", t("builder.changes")], ...all];
	return withOwn(all, action);
}

/**
 * The options for the name of an object that an event refers to: objects of the kind, also those that an event creates.
 * @param {Form} form @param {string} kind @returns {[string, string][]}
 */
function objectOptions({ documents }, kind) {
	const events = documents.of("Scenario")[0]?.value.spec?.events ?? [];
	const later = events
		.map((/** @type {any} */ event) => event.create)
		.filter((/** @type {any} */ object) => object?.kind === (kind ?? "Pod"));
	const names = [...documents.of(kind ?? "Pod").map((ref) => ref.value), ...later].map(
		(object) => object.metadata?.name,
	);
	return [...new Set(names)].map((name) => [name, name]);
}

/** The pod that a new event creates. @param {Form} form */
function latePod({ names }) {
	return shapes.pod({ name: shapes.freeName("late-", names), cpu: "500m", memory: "256Mi", labels: { app: "web" } });
}

/**
 * A new event for an option of `actionOptions`, about an object of the scenario; without its time.
 * @param {Form} form @param {string} option
 */
function newEvent(form, option) {
	const [action, kind] = option.split(":");
	const [target = "Deployment/web"] = targetsOf(form)[0] ?? [];
	const [workload, name] = target.split("/");
	if (OF_NODES.includes(action)) return { [action]: objectOptions(form, "Node")[0]?.[0] ?? "" };
	if (action === "evict") return { evict: objectOptions(form, "Pod")[0]?.[0] ?? `${name}@1/0` };
	if (action === "scale") return { scale: { kind: workload, name, replicas: 5 } };
	if (action === "rollout") return { rollout: { kind: workload, name, action: "restart" } };
	if (action === "delete") return { delete: { kind, name: objectOptions(form, kind)[0]?.[0] ?? "" } };
	return {
		create:
			kind === "Node"
				? shapes.node({ name: shapes.freeName("n", form.names), cpu: "4", memory: "8Gi" })
				: latePod(form),
	};
}
