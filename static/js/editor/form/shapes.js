// @ts-check
/**
 * The objects that the builder adds, and the short forms ("app=web", "gpu=true:NoSchedule") in which it shows fields.
 */
import { taintText, toTaint } from "../../shared/taints.js";

export const ZONE = "topology.kubernetes.io/zone";
export const HOSTNAME = "kubernetes.io/hostname";
const IMAGE = "registry.k8s.io/pause:3.9";

/** A Node's manifest. @param {{name: string, cpu: string, memory: string, zone?: string}} fields */
export function node({ name, cpu, memory, zone }) {
	const labels = { [HOSTNAME]: name, ...(zone ? { [ZONE]: zone } : {}) };
	return {
		apiVersion: "v1",
		kind: "Node",
		metadata: { name, labels },
		status: { capacity: { cpu, memory, pods: "110" } },
	};
}

/**
 * A Pod's manifest.
 * @param {{name: string, cpu: string, memory: string, labels?: Record<string, string>, priority?: number}} fields
 */
export function pod({ name, cpu, memory, labels, priority }) {
	const container = { name: "main", image: IMAGE, resources: { requests: { cpu, memory } } };
	return {
		apiVersion: "v1",
		kind: "Pod",
		metadata: { name, ...(labels ? { labels } : {}) },
		spec: { ...(priority ? { priority } : {}), containers: [container] },
	};
}

/** A PriorityClass's manifest. @param {string} name */
export const priorityClass = (name, value = 1000) => ({
	apiVersion: "scheduling.k8s.io/v1",
	kind: "PriorityClass",
	metadata: { name },
	value,
});

/** A PodDisruptionBudget's manifest. @param {string} name */
export const budget = (name) => ({
	apiVersion: "policy/v1",
	kind: "PodDisruptionBudget",
	metadata: { name },
	spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
});

const GROUPS = /** @type {Record<string, string>} */ ({ Job: "batch/v1", CronJob: "batch/v1" });

/** The manifest of a workload of a kind. @param {string} kind @param {string} name */
export function workload(kind, name) {
	const labels = { app: name };
	const { spec } = pod({ name, cpu: "500m", memory: "256Mi" });
	const finite = kind === "Job" || kind === "CronJob";
	const template = finite
		? {
				metadata: { labels, annotations: { "kschedui.io/run-seconds": "30" } },
				spec: { ...spec, restartPolicy: "Never" },
			}
		: { metadata: { labels }, spec };
	return {
		apiVersion: GROUPS[kind] ?? "apps/v1",
		kind,
		metadata: { name },
		spec:
			kind === "CronJob"
				? { schedule: "* * * * *", jobTemplate: { spec: { template } } }
				: {
						...(kind === "DaemonSet" || finite ? {} : { replicas: 3 }),
						...(finite ? {} : { selector: { matchLabels: { ...labels } } }),
						template,
					},
	};
}

/** "Deployment/web" as a reference. @param {string} target */
export function targetOf(target) {
	const [kind, name] = target.split("/");
	return { apiVersion: "apps/v1", kind, name };
}

/** A HorizontalPodAutoscaler's manifest for a workload. @param {string} name @param {string} target */
export const autoscaler = (name, target) => ({
	apiVersion: "autoscaling/v2",
	kind: "HorizontalPodAutoscaler",
	metadata: { name },
	spec: {
		scaleTargetRef: targetOf(target),
		minReplicas: 1,
		maxReplicas: 10,
		metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
	},
});

/** An empty Scenario. */
export const scenario = () => ({ apiVersion: "kschedui.io/v1alpha1", kind: "Scenario", spec: {} });

/** A KubeSchedulerConfiguration with the default profile. */
export const configuration = () => ({
	apiVersion: "kubescheduler.config.k8s.io/v1",
	kind: "KubeSchedulerConfiguration",
	profiles: [{ schedulerName: "default-scheduler" }],
});

/**
 * The path and the new value that each button, such as "+ Spread", sets in a pod.
 * @param {any} value the pod
 * @returns {Record<string, [(string | number)[], any]>}
 */
export function additions(value) {
	const labels = value.metadata?.labels ?? { app: value.metadata?.name ?? "web" };
	const selector = { matchLabels: labels };
	const spec = value.spec ?? {};
	const more = (/** @type {string} */ field, /** @type {any} */ item) => [...(spec[field] ?? []), item];
	return {
		spread: [
			["spec", "topologySpreadConstraints"],
			more("topologySpreadConstraints", {
				maxSkew: 1,
				topologyKey: ZONE,
				whenUnsatisfiable: "DoNotSchedule",
				labelSelector: selector,
			}),
		],
		antiAffinity: [
			["spec", "affinity", "podAntiAffinity"],
			{ requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: HOSTNAME, labelSelector: selector }] },
		],
		affinity: [
			["spec", "affinity", "podAffinity"],
			{ requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: ZONE, labelSelector: selector }] },
		],
		nodeAffinity: [
			["spec", "affinity", "nodeAffinity"],
			{
				requiredDuringSchedulingIgnoredDuringExecution: {
					nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: "In", values: ["a"] }] }],
				},
			},
		],
		toleration: [["spec", "tolerations"], more("tolerations", { key: "gpu", operator: "Exists" })],
		gate: [["spec", "schedulingGates"], more("schedulingGates", { name: "example.com/wait" })],
		hostPort: [
			["spec", "containers", 0, "ports"],
			[...(spec.containers?.[0]?.ports ?? []), { containerPort: 8080, hostPort: 8080 }],
		],
	};
}

/** Tolerations that an admission plugin adds to every pod. */
const AUTOMATIC = /^(not-ready|unreachable):NoExecute$/;

/**
 * @typedef {{key: string, text: string, path: (string | number)[], rest: any}} Rule `rest` is the value of `path`
 *   without the rule: the other entries of a list, possibly none; undefined for an affinity
 */

/**
 * Summarises the rules that a pod has, of the kinds that `additions` adds.
 * @param {any} value the pod @returns {Rule[]}
 */
export function rulesOf({ spec = {} }) {
	/** @type {Rule[]} */
	const out = [];
	const addRules = (
		/** @type {string} */ key,
		/** @type {(string | number)[]} */ path,
		/** @type {any[]} */ list,
		/** @type {(entry: any) => string | number} */ text,
	) =>
		list.forEach((entry, i) =>
			out.push({ key, text: String(text(entry)), path, rest: list.filter((_, other) => other !== i) }),
		);
	addRules(
		"spread",
		["spec", "topologySpreadConstraints"],
		spec.topologySpreadConstraints ?? [],
		(entry) =>
			`${bare(entry.topologyKey)} ≤ ${entry.maxSkew}` +
			(entry.whenUnsatisfiable === "ScheduleAnyway" ? " (ScheduleAnyway)" : ""),
	);
	for (const [key, field, words] of /** @type {const} */ ([
		["antiAffinity", "podAntiAffinity", termText],
		["affinity", "podAffinity", termText],
		["nodeAffinity", "nodeAffinity", nodeTermText],
	])) {
		const affinity = spec.affinity?.[field];
		if (affinity) out.push({ key, text: words(affinity), path: ["spec", "affinity", field], rest: undefined });
	}
	addRules(
		"toleration",
		["spec", "tolerations"],
		spec.tolerations ?? [],
		({ key, value, effect }) => `${bare(key) || "*"}${value ? `=${value}` : ""}${effect ? `:${effect}` : ""}`,
	);
	addRules("gate", ["spec", "schedulingGates"], spec.schedulingGates ?? [], (gate) => gate.name ?? "");
	const ports = spec.containers?.[0]?.ports ?? [];
	addRules("hostPort", ["spec", "containers", 0, "ports"], ports, (port) => port.hostPort ?? "");
	return out.filter(({ key, text }) => (key !== "hostPort" || text) && !(key === "toleration" && AUTOMATIC.test(text)));
}

/** The terms of a pod affinity or anti-affinity as text: "zone, app=web". @param {any} affinity */
function termText({
	requiredDuringSchedulingIgnoredDuringExecution: hard = [],
	preferredDuringSchedulingIgnoredDuringExecution: soft = [],
}) {
	const terms = [...hard, ...soft.map((/** @type {any} */ term) => term.podAffinityTerm ?? {})];
	return terms
		.map((term) => [bare(term.topologyKey), pairs(term.labelSelector?.matchLabels)].filter(Boolean).join(", "))
		.join("; ");
}

/** The expressions of a node affinity as text: "zone In a". @param {any} affinity */
function nodeTermText({
	requiredDuringSchedulingIgnoredDuringExecution: hard,
	preferredDuringSchedulingIgnoredDuringExecution: soft = [],
}) {
	const terms = [...(hard?.nodeSelectorTerms ?? []), ...soft.map((/** @type {any} */ term) => term.preference ?? {})];
	return terms
		.flatMap((term) => [...(term.matchExpressions ?? []), ...(term.matchFields ?? [])])
		.map((expression) =>
			`${bare(expression.key)} ${expression.operator} ${(expression.values ?? []).join(", ")}`.trim(),
		)
		.join("; ");
}

/** "zone" of "topology.kubernetes.io/zone". @param {string | undefined} key */
const bare = (key) => (key ?? "").replace(/^([\w-]+\.)*kubernetes\.io\//, "");

/** Labels as text: "app=web, tier=front". @param {Record<string, string> | undefined} labels */
export const pairs = (labels) =>
	Object.entries(labels ?? {})
		.map(([key, value]) => `${key}=${value}`)
		.join(", ");

/** "app=web, tier=front" as a map; a word without "=" gets an empty value. @param {string} text */
export function fromPairs(text) {
	const entries = text
		.split(",")
		.map((word) => word.trim())
		.filter(Boolean)
		.map((word) => word.split(/=(.*)/s).slice(0, 2));
	return Object.fromEntries(entries.map(([key, value]) => [key.trim(), (value ?? "").trim()]));
}

/**
 * Taints as text: "gpu=true:NoSchedule, disk:NoExecute".
 * @param {import("../../shared/taints.js").Taint[] | undefined} taints
 */
export const taintTexts = (taints) => (taints ?? []).map(taintText).join(", ");

/** "gpu=true:NoSchedule, disk" as a list of taints. @param {string} text */
export function fromTaints(text) {
	return text
		.split(",")
		.map((word) => word.trim())
		.filter(Boolean)
		.map(toTaint);
}

/** The first unused name (web-1, web-2 ...), added to `taken`. @param {string} stem @param {Set<string>} taken */
export function freeName(stem, taken) {
	let number = 1;
	while (taken.has(`${stem}${number}`)) number += 1;
	taken.add(`${stem}${number}`);
	return `${stem}${number}`;
}
