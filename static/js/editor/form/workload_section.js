// @ts-check
/** The builder's workloads, and the times that kubelets take to start and stop pods. */
import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { choice, input, removal, section, table } from "./form.js";
import * as shapes from "./shapes.js";
import { scenarioOf, targetsOf } from "./timeline_section.js";

/** @typedef {import("./documents.js").Ref} Ref */
/** @typedef {import("./form.js").Form} Form */

/** The field of each kind with the number of pods, or a CronJob's schedule; a DaemonSet has one pod per node. */
const SIZES = /** @type {Record<string, string>} */ ({
	Deployment: "replicas",
	StatefulSet: "replicas",
	ReplicaSet: "replicas",
	DaemonSet: "",
	Job: "parallelism",
	CronJob: "schedule",
});
const TEMPLATE = /** @type {(string | number)[]} */ (["spec", "template"]);
const TIMES = ["startSeconds", "readySeconds", "stopSeconds"];

/** The section with a row for each workload whose kind is in SIZES. @param {Form} form */
export function workloadSection(form) {
	const { documents, edit, names } = form;
	const add = (/** @type {string} */ kind) => () =>
		edit(() => documents.add(shapes.workload(kind, shapes.freeName(`${kind.toLowerCase()}-`, names))));
	const rows = documents.objects.filter((ref) => ref.value.kind in SIZES).map((ref) => workloadRow(form, ref));
	return section(
		"workloads",
		add("Deployment"),
		rows.length ? table(["name", "kind", "size", "cpu", "memory", ""], ...rows) : null,
		...["StatefulSet", "DaemonSet", "Job", "CronJob"].map((kind) =>
			button(add(kind), { key: kind, class: "button plain" }, `+ ${kind}`),
		),
		rows.length ? kubeletTable(form) : null,
	);
}

/** The row of a workload. @param {Form} form @param {Ref} ref */
function workloadRow(form, ref) {
	const { documents, edit } = form;
	const { kind, metadata = {}, spec = {} } = ref.value;
	const labelOf = (/** @type {string} */ field) => `${metadata.name} ${t(`builder.${field}`)}`;
	const template = kind === "CronJob" ? ["spec", "jobTemplate", ...TEMPLATE] : TEMPLATE;
	const pod = (kind === "CronJob" ? spec.jobTemplate?.spec : spec)?.template ?? {};
	const requests = pod.spec?.containers?.[0]?.resources?.requests ?? {};
	const request = (/** @type {string} */ name) =>
		input(labelOf(name), requests[name], (text) =>
			edit(() => documents.set(ref, [...template, "spec", "containers", 0, "resources", "requests", name], text)),
		);
	const size = SIZES[kind];
	return h(
		"tr",
		{ key: `workload:${kind}:${metadata.name}` },
		input(labelOf("name"), metadata.name, (text) => edit(() => documents.set(ref, ["metadata", "name"], text))),
		h("td", { class: "word" }, kind),
		size
			? input(labelOf("size"), spec[size] ?? (size === "schedule" ? "" : 1), (text) =>
					edit(() => documents.set(ref, ["spec", size], size === "schedule" ? text : numberOf(text))),
				)
			: h("td", { class: "muted word" }, t("builder.oneANode")),
		request("cpu"),
		request("memory"),
		removal(form, ref),
	);
}

/** The table of the times that kubelets take to start and stop pods. @param {Form} form */
function kubeletTable(form) {
	const { documents, edit } = form;
	const times = documents.of("Scenario")[0]?.value.spec?.kubelet ?? {};
	const cells = TIMES.map((field) =>
		input(
			t(`builder.${field}`),
			times[field],
			(text) => edit(() => documents.set(scenarioOf(form), ["spec", "kubelet", field], numberOf(text))),
			{ inputmode: "decimal" },
		),
	);
	return table(TIMES, h("tr", { key: "kubelet" }, ...cells));
}

/** The section with a row for each HorizontalPodAutoscaler. @param {Form} form */
export function autoscalerSection(form) {
	const { documents, edit, names } = form;
	const targets = targetsOf(form);
	const add = () =>
		edit(() =>
			documents.add(shapes.autoscaler(shapes.freeName("scaler-", names), targets[0]?.[0] ?? "Deployment/web")),
		);
	const rows = documents.of("HorizontalPodAutoscaler").map((ref) => {
		const { metadata = {}, spec = {} } = ref.value;
		const { kind, name } = spec.scaleTargetRef ?? {};
		const target = `${kind}/${name}`;
		const bound = (/** @type {string} */ field) =>
			input(`${metadata.name} ${t(`builder.${field}`)}`, spec[field], (text) =>
				edit(() => documents.set(ref, ["spec", field], numberOf(text))),
			);
		const known = targets.some(([key]) => key === target);
		return h(
			"tr",
			{ key: `scaler:${metadata.name}` },
			input(`${metadata.name} ${t("builder.name")}`, metadata.name, (text) =>
				edit(() => documents.set(ref, ["metadata", "name"], text)),
			),
			choice(
				`${metadata.name} ${t("builder.target")}`,
				target,
				known ? targets : [[target, target], ...targets],
				(next) => edit(() => documents.set(ref, ["spec", "scaleTargetRef"], shapes.targetOf(next))),
			),
			bound("minReplicas"),
			bound("maxReplicas"),
			removal(form, ref),
		);
	});
	return section(
		"autoscalers",
		add,
		rows.length ? table(["name", "target", "minReplicas", "maxReplicas", ""], ...rows) : null,
	);
}

/**
 * Reads a number; undefined for an empty text. A text that is no number is returned unchanged, for the parser to
 * report.
 * @param {string} text @returns {number | string | undefined}
 */
function numberOf(text) {
	if (!text) return undefined;
	return Number.isNaN(Number(text)) ? text : Number(text);
}
