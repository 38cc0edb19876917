// @ts-check
/**
 * The builder: the same text as tables. Every change edits one object of the text (documents.js), and
 * `onChange` receives the text.
 */
import { button, h, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { Documents } from "./documents.js";
import { choice, input, removal, section, table } from "./form.js";
import { schedulerSection } from "./scheduler_section.js";
import * as shapes from "./shapes.js";
import { scenarioOf, timelineSection } from "./timeline_section.js";
import { autoscalerSection, workloadSection } from "./workload_section.js";

/** @typedef {import("./documents.js").Ref} Ref */
/** @typedef {import("./form.js").Form} Form */

/**
 * Returns the builder, whose `draw` shows the form for a text; `onChange` receives the text after each change in the
 * form.
 * @param {HTMLElement} host @param {(text: string) => void} onChange
 */
export function builder(host, onChange) {
	let selected = "";
	/** @param {string} text */
	const draw = (text) => {
		const documents = new Documents(text);
		if (!documents.valid) return patch(host, [h("p", { class: "builder-broken" }, t("builder.broken"))]);
		/** @type {Form} */
		const form = {
			documents,
			names: new Set(documents.objects.map((ref) => ref.value.metadata?.name)),
			/** Makes a change, and draws the form again. */
			edit(change) {
				change();
				const next = documents.toString();
				onChange(next);
				draw(next);
			},
		};
		const select = (/** @type {string} */ name) => {
			selected = name;
			draw(text);
		};
		patch(host, [
			titleField(form),
			nodeSection(form),
			podSection(form, selected, select),
			workloadSection(form),
			autoscalerSection(form),
			classSection(form),
			budgetSection(form),
			timelineSection(form),
			schedulerSection(form),
		]);
	};
	return { draw };
}

/** The scenario's title. @param {Form} form */
function titleField(form) {
	const { documents, edit } = form;
	const title = documents.of("Scenario")[0]?.value.spec?.title ?? "";
	const path = typeof title === "string" ? ["spec", "title"] : ["spec", "title", "en"];
	const change = (/** @type {any} */ event) =>
		edit(() => documents.set(scenarioOf(form), path, event.target.value.trim() || undefined));
	return h(
		"label",
		{ key: "title", class: "builder-title" },
		h("span", null, t("builder.title")),
		h("input", {
			value: typeof title === "string" ? title : (title.en ?? ""),
			placeholder: t("builder.title.none"),
			maxlength: 200,
			on: { change },
		}),
	);
}

/** The section with a row for each node. @param {Form} form */
function nodeSection(form) {
	const { documents, edit, names } = form;
	const nodes = documents.of("Node");
	const { cpu, memory } = nodes.at(-1)?.value.status?.capacity ?? { cpu: "4", memory: "8Gi" };
	const zones = ["a", "b", "c"];
	const add = () => edit(() => documents.add(shapes.node({ name: shapes.freeName("n", names), cpu, memory })));
	const addZones = () =>
		edit(() =>
			zones.forEach((zone) => documents.add(shapes.node({ name: shapes.freeName("n", names), cpu, memory, zone }))),
		);
	const rows = nodes.map((ref) => {
		const { metadata = {}, spec = {}, status = {} } = ref.value;
		const size = status.allocatable ? "allocatable" : "capacity";
		const labelOf = (/** @type {string} */ field) => `${metadata.name} ${t(`builder.${field}`)}`;
		const { [shapes.ZONE]: zone, [shapes.HOSTNAME]: host, ...labels } = metadata.labels ?? {};
		const relabel = (/** @type {object} */ next) => edit(() => documents.set(ref, ["metadata", "labels"], next));
		const hostname = host ? { [shapes.HOSTNAME]: host } : {};
		return h(
			"tr",
			{ key: `node:${metadata.name}` },
			input(labelOf("name"), metadata.name, (text) => edit(() => renameNode(documents, ref, text))),
			input(labelOf("cpu"), status[size]?.cpu, (text) => edit(() => documents.set(ref, ["status", size, "cpu"], text))),
			input(labelOf("memory"), status[size]?.memory, (text) =>
				edit(() => documents.set(ref, ["status", size, "memory"], text)),
			),
			input(labelOf("zone"), zone, (text) =>
				relabel({ ...hostname, ...(text ? { [shapes.ZONE]: text } : {}), ...labels }),
			),
			input(
				labelOf("taints"),
				shapes.taintTexts(spec.taints),
				(text) => edit(() => documents.set(ref, ["spec", "taints"], shapes.fromTaints(text))),
				{ placeholder: "key=value:NoSchedule" },
			),
			input(
				labelOf("labels"),
				shapes.pairs(labels),
				(text) => relabel({ ...hostname, ...(zone ? { [shapes.ZONE]: zone } : {}), ...shapes.fromPairs(text) }),
				{ placeholder: "disk=ssd" },
			),
			h(
				"td",
				{ class: "narrow" },
				h("input", {
					type: "checkbox",
					"aria-label": labelOf("cordoned"),
					checked: Boolean(spec.unschedulable),
					on: {
						change: (/** @type {any} */ event) =>
							edit(() => documents.set(ref, ["spec", "unschedulable"], event.target.checked || undefined)),
					},
				}),
			),
			removal(form, ref),
		);
	});
	return section(
		"nodes",
		add,
		table(["name", "cpu", "memory", "zone", "taints", "labels", "cordoned", ""], ...rows),
		button(addZones, { class: "button plain" }, `+ ${t("builder.zones")}`),
	);
}

/**
 * Renames a node, and sets its hostname label if it has one.
 * @param {Documents} documents
 * @param {Ref} ref
 * @param {string} name
 */
function renameNode(documents, ref, name) {
	documents.set(ref, ["metadata", "name"], name);
	if (ref.value.metadata?.labels?.[shapes.HOSTNAME]) documents.set(ref, ["metadata", "labels", shapes.HOSTNAME], name);
}

const COPIES = 3; // that a click adds

/**
 * The section with a row for each pod.
 * @param {Form} form @param {string} selected the name of the selected pod, "" for none
 * @param {(name: string) => void} select
 */
function podSection(form, selected, select) {
	const { documents, edit, names } = form;
	const pods = documents.of("Pod");
	const nodes = documents.of("Node").map((ref) => ref.value.metadata?.name);
	const classes = documents.of("PriorityClass");
	const add = () =>
		edit(() =>
			documents.add(
				shapes.pod({ name: shapes.freeName("web-", names), cpu: "500m", memory: "256Mi", labels: { app: "web" } }),
			),
		);
	const addCopies = () =>
		edit(() => {
			const source = pods.find((ref) => ref.value.metadata?.name === selected) ?? pods.at(-1);
			if (!source) return;
			const stem = source.value.metadata.name.replace(/(?<!\d)\d+$/, "");
			for (let i = 0; i < COPIES; i += 1)
				documents.add({ ...source.value, metadata: { ...source.value.metadata, name: shapes.freeName(stem, names) } });
		});
	const rows = pods.flatMap((ref) => podRow(form, ref, nodes, classes, ref.value.metadata?.name === selected, select));
	return section(
		"pods",
		add,
		table(["name", "priority", "cpu", "memory", "node", "labels", ""], ...rows),
		button(addCopies, { class: "button plain" }, `+ ${t("builder.copies")}`),
	);
}

/**
 * A pod's row and, if the pod is selected or has rules, the row with its rules.
 * @param {Form} form
 * @param {Ref} ref
 * @param {string[]} nodes
 * @param {Ref[]} classes the PriorityClasses
 * @param {boolean} open whether the pod is selected
 * @param {(name: string) => void} select
 */
function podRow(form, ref, nodes, classes, open, select) {
	const { documents, edit } = form;
	const { metadata = {}, spec = {} } = ref.value;
	const labelOf = (/** @type {string} */ field) => `${metadata.name} ${t(`builder.${field}`)}`;
	const requests = spec.containers?.[0]?.resources?.requests ?? {};
	const request = (/** @type {string} */ name) => (/** @type {string} */ text) =>
		edit(() => documents.set(ref, ["spec", "containers", 0, "resources", "requests", name], text));
	/** @type {[string, string][]} */
	const priorities = [
		["", String(spec.priority ?? 0)],
		...classes.map(({ value }) => {
			const name = value.metadata?.name;
			return /** @type {[string, string]} */ ([name, `${name} ${value.value}`]);
		}),
	];
	const row = h(
		"tr",
		{
			key: `pod:${metadata.namespace ?? ""}/${metadata.name}`,
			class: open ? "selected" : "",
			on: { focusin: () => open || select(metadata.name) },
		},
		input(labelOf("name"), metadata.name, (text) => edit(() => documents.set(ref, ["metadata", "name"], text))),
		classes.length
			? choice(labelOf("priority"), spec.priorityClassName ?? "", priorities, (text) =>
					edit(() => documents.set(ref, ["spec", "priorityClassName"], text)),
				)
			: input(
					labelOf("priority"),
					spec.priority ?? 0,
					(text) => edit(() => documents.set(ref, ["spec", "priority"], Number(text) || undefined)),
					{ inputmode: "numeric" },
				),
		input(labelOf("cpu"), requests.cpu, request("cpu")),
		input(labelOf("memory"), requests.memory, request("memory")),
		choice(
			labelOf("node"),
			spec.nodeName ?? "",
			[["", t("builder.pending")], ...nodes.map((name) => /** @type {[string, string]} */ ([name, name]))],
			(text) => edit(() => documents.set(ref, ["spec", "nodeName"], text)),
		),
		input(
			labelOf("labels"),
			shapes.pairs(metadata.labels),
			(text) =>
				edit(() =>
					documents.set(
						ref,
						["metadata", "labels"],
						Object.keys(shapes.fromPairs(text)).length ? shapes.fromPairs(text) : undefined,
					),
				),
			{ placeholder: "app=web" },
		),
		removal(form, ref),
	);
	const rules = rulesRow(form, ref, open);
	return rules ? [row, rules] : [row];
}

/**
 * The row with a pod's rules, and if the pod is selected, buttons that add others; null if there is nothing to show.
 * @param {Form} form @param {Ref} ref @param {boolean} open whether the pod is selected
 */
function rulesRow({ documents, edit }, ref, open) {
	const { metadata = {} } = ref.value;
	const parsed = shapes.rulesOf(ref.value);
	const rules = parsed.map(({ key, text, path, rest: left }, i) =>
		h(
			"span",
			{ key: `rule${i}`, class: "rule" },
			h("b", null, t(`builder.${key}`)),
			` ${text} `,
			button(
				() => edit(() => documents.set(ref, path, left)),
				{ "aria-label": t("builder.remove", { name: `${metadata.name} ${t(`builder.${key}`)} ${text}` }) },
				"✕",
			),
		),
	);
	if (!open && !rules.length) return null;
	// another one would replace it
	const single = new Set(parsed.filter((rule) => rule.rest === undefined).map((rule) => rule.key));
	const more =
		open &&
		Object.entries(shapes.additions(ref.value)).map(
			([key, [path, value]]) =>
				!single.has(key) &&
				button(
					() => edit(() => documents.set(ref, path, value)),
					{ key, class: "button small" },
					`+ ${t(`builder.${key}`)}`,
				),
		);
	return h(
		"tr",
		{ key: `rules:${metadata.namespace ?? ""}/${metadata.name}`, class: open ? "selected" : "" },
		h(
			"td",
			{ colspan: 7 },
			rules.length > 0 && h("div", { key: "rules", class: "additions" }, rules),
			more && h("div", { key: "more", class: "additions" }, more),
		),
	);
}

/** The section with a row for each PriorityClass. @param {Form} form */
function classSection(form) {
	const { documents, edit, names } = form;
	const add = () => edit(() => documents.add(shapes.priorityClass(shapes.freeName("class-", names))));
	const rows = documents.of("PriorityClass").map((ref) => {
		const name = ref.value.metadata?.name;
		return h(
			"tr",
			{ key: `class:${name}` },
			input(`${name} ${t("builder.name")}`, name, (text) => edit(() => documents.set(ref, ["metadata", "name"], text))),
			input(
				`${name} ${t("builder.value")}`,
				ref.value.value,
				(text) => edit(() => documents.set(ref, ["value"], Number(text))),
				{ inputmode: "numeric" },
			),
			choice(
				`${name} ${t("builder.policy")}`,
				ref.value.preemptionPolicy ?? "",
				[
					["", "PreemptLowerPriority"],
					["Never", "Never"],
				],
				(text) => edit(() => documents.set(ref, ["preemptionPolicy"], text)),
			),
			removal(form, ref),
		);
	});
	return section("classes", add, rows.length ? table(["name", "value", "policy", ""], ...rows) : null);
}

/** The section with a row for each PodDisruptionBudget. @param {Form} form */
function budgetSection(form) {
	const { documents, edit, names } = form;
	const add = () => edit(() => documents.add(shapes.budget(shapes.freeName("budget-", names))));
	const rows = documents.of("PodDisruptionBudget").map((ref) => {
		const { metadata = {}, spec = {} } = ref.value;
		const rule = spec.maxUnavailable !== undefined ? "maxUnavailable" : "minAvailable";
		const number = (/** @type {string} */ text) => (/^\d+$/.test(text) ? Number(text) : text);
		return h(
			"tr",
			{ key: `budget:${metadata.name}` },
			input(`${metadata.name} ${t("builder.name")}`, metadata.name, (text) =>
				edit(() => documents.set(ref, ["metadata", "name"], text)),
			),
			input(`${metadata.name} ${t("builder.covers")}`, shapes.pairs(spec.selector?.matchLabels), (text) =>
				edit(() => documents.set(ref, ["spec", "selector", "matchLabels"], shapes.fromPairs(text))),
			),
			choice(
				`${metadata.name} ${t("builder.rule")}`,
				rule,
				[
					["minAvailable", "minAvailable"],
					["maxUnavailable", "maxUnavailable"],
				],
				(next) =>
					edit(() => {
						documents.set(ref, ["spec", rule], undefined);
						documents.set(ref, ["spec", next], spec[rule]);
					}),
			),
			input(`${metadata.name} ${rule}`, spec[rule], (text) =>
				edit(() => documents.set(ref, ["spec", rule], number(text))),
			),
			removal(form, ref),
		);
	});
	return section("budgets", add, rows.length ? table(["name", "covers", "rule", "value", ""], ...rows) : null);
}
