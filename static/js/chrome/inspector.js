// @ts-check
/** Everything about one pod or node, as `kubectl describe` and `kubectl get -o yaml` print it, at this step. */

import { button, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { shortPod } from "../shared/names.js";
import { ERROR_KEPT, request } from "../shared/server.js";
import { amount, decimal, nameInKey, quantity, seconds } from "../shared/units.js";
import { filterModel } from "../steps/filter/model.js";
import { link, part, row, table, waitNote } from "../steps/parts/panel.js";
import { podLabel } from "../steps/parts/pods.js";
import { timesOf } from "../steps/parts/times.js";
import { OUTCOME_MARKS, plainReason, scoreName } from "../steps/parts/words.js";
import { scores } from "../steps/score/bars.js";
import { allocatable, used } from "../trace/room.js";
import { nextTry, nominations, notesOf } from "./waiting.js";

/** One row of a list: a name, and its value. @param {string} name @param {Child} value */
function entry(name, value) {
	return h("div", { key: name, class: "entry" }, h("dt", null, name), h("dd", null, value));
}

/** Labels as `key=value`; "<none>" without any. @param {Record<string, string> | undefined} labels */
function pairs(labels) {
	const all = Object.entries(labels ?? {});
	return all.length ? all.map(([key, value]) => h("code", { key }, `${key}=${value}`)) : "<none>";
}

/**
 * Buttons to What if and, for a pod, to the capacity page; null in an embedded page.
 * @param {View} view @param {"pod" | "node"} kind @param {string} name
 */
function askButtons(view, kind, name) {
	if (view.boot.embed) return null;
	const open = () => view.act.open(`ask:${kind}:${name}`);
	return h(
		"p",
		{ key: "ask", class: "buttons" },
		button(open, { class: "button" }, t("ask.title")),
		kind === "pod" &&
			view.boot.scenario?.id &&
			h("a", { class: "button", href: capacityPage(view, name) }, t("ask.howmany")),
	);
}

/**
 * The properties of a pod, its attempts and events; of a deleted or not yet created one, what is known.
 * @param {View} view @param {string} key @returns {Child}
 */
export function podInspector(view, key) {
	const pod = view.state.pods.get(key);
	const [namespace, name] = key.split("/");
	if (!pod)
		return [
			h("h2", { key: "name" }, name),
			h(
				"p",
				{ key: "gone", class: "note" },
				t(view.state.deleted.includes(key) ? "inspect.deleted" : "inspect.notyet"),
			),
			attempts(view, key),
			describeEvents(view, key),
		];
	const summary = pod.summary;
	return [
		h("p", { key: "kind", class: "margin-label" }, t("pod")),
		h("h2", { key: "name" }, name),
		askButtons(view, "pod", key),
		timesOf(view, [key]),
		h(
			"dl",
			{ key: "facts", class: "entries" },
			entry("Namespace", namespace),
			entry("Priority", String(summary.priority ?? 0)),
			entry("Node", pod.node ? nodeLink(view, pod.node) : "<none>"),
			entry(
				"Status",
				pod.gone_at !== null ? t("inspect.terminating", { time: seconds(pod.gone_at) }) : t(`place.${pod.place}`),
			),
			summary.owner && entry("Controlled By", summary.owner),
			pod.nominated_node && entry("NominatedNodeName", nodeLink(view, pod.nominated_node)),
			entry(
				"Requests",
				Object.entries(summary.requests ?? {}).map(([resource, value]) =>
					h("code", { key: resource }, quantity(resource, value)),
				),
			),
			entry("Labels", pairs(summary.labels)),
			(summary.gates ?? []).length > 0 && entry("Scheduling Gates", (summary.gates ?? []).join(", ")),
			entry("Attempts", String(pod.attempts)),
			pod.unschedulable_plugins.length > 0 && entry(t("inspect.by"), pod.unschedulable_plugins.join(", ")),
			pod.moved_by && entry(t("inspect.moved"), pod.moved_by),
			pod.hints.length > 0 &&
				entry(
					t("inspect.hints"),
					pod.hints.map((hint) => h("code", { key: hint.plugin }, `${hint.plugin}: ${hint.hint}`)),
				),
		),
		nextTry(view, pod),
		conditions(view, pod),
		nominations(view, key),
		attempts(view, key),
		describeEvents(view, key),
		manifestPart(view, "pod", namespace, name),
	];
}

/** The section with the PodScheduled condition; null for a pod without one. @param {View} view @param {PodState} pod */
function conditions({ act }, { summary, place, message, error_backoff }) {
	const reason = place === "gated" ? "SchedulingGated" : error_backoff ? "SchedulerError" : "Unschedulable";
	const text = place === "bound" ? "True" : place === "gated" || message ? `False  ${reason}` : "";
	return text
		? part(
				"Conditions",
				h("p", { class: "raw" }, `PodScheduled  ${text}`),
				message && h("p", { class: "note" }, message),
				message.startsWith("0/") && link(t("message.apart"), () => act.pin(`message:${summary.pod}`)),
			)
		: null;
}

/** A button that selects a node. @param {View} view @param {string} name */
function nodeLink(view, name) {
	return button(() => view.act.select({ kind: "node", name }), { class: "link" }, name);
}

/** A button that selects a pod. @param {View} view @param {string} key */
function podLink(view, key) {
	return button(
		() => view.act.select({ kind: "pod", name: key }),
		{ class: "link", title: nameInKey(key) },
		podLabel(key),
	);
}

/**
 * The section with the pod's attempts so far, and on request the later ones, each with a link to its step; null if it
 * has none.
 * @param {View} view
 * @param {string} key
 */
function attempts(view, key) {
	const own = view.index.columns.flatMap((column) => (column.kind === "attempt" && column.pod === key ? [column] : []));
	if (!own.length) return null;
	const past = own.filter((column) => column.step <= view.step);
	const later = own.slice(past.length);
	return part(
		t("inspect.attempts"),
		past.length ? attemptList(view, past, view.step) : h("p", { class: "note" }, "<none>"),
		later.length > 0 &&
			h(
				"details",
				{ key: "later" },
				h("summary", null, t("inspect.later", { n: later.length })),
				attemptList(view, later, Number.POSITIVE_INFINITY),
			),
	);
}

/**
 * The list of attempts, each with a link to its first step, its time and its outcome.
 * @param {View} view
 * @param {Extract<Column, {kind: "attempt"}>[]} own
 * @param {number} until the last step whose outcome may be shown
 */
function attemptList(view, own, until) {
	return h(
		"ol",
		{ class: "attempts" },
		own.map((column) => {
			const outcome = column.end <= until ? column.outcome : null;
			return h(
				"li",
				{ key: column.attempt, class: column.step > view.step ? "ahead" : "" },
				button(() => view.act.seek(column.step), { class: "link" }, `${t("attempt")} ${column.attempt}`),
				` ${seconds(column.time)} `,
				OUTCOME_MARKS[/** @type {keyof typeof OUTCOME_MARKS} */ (outcome ?? "")] ?? "",
				outcome ? ` ${column.node || t(`outcome.${outcome}`)}` : "",
			);
		}),
	);
}

/** The section with the events that `kubectl describe pod` lists so far. @param {View} view @param {string} key */
function describeEvents(view, key) {
	const notes = notesOf(view.store, key, view.step);
	return part(
		"Events",
		notes.length
			? h(
					"ol",
					{ class: "kube-events" },
					notes.map((note) =>
						h(
							"li",
							{ key: note.step },
							button(() => view.act.seek(note.step), { class: "link" }, seconds(note.time)),
							" ",
							h("b", { class: note.type === "Warning" ? "no" : "" }, `${note.type}  ${note.reason}`),
							h("p", null, note.message),
						),
					),
				)
			: h("p", { class: "note" }, "<none>"),
	);
}

/** The manifests, and what stands in their place, by URL. @type {Map<string, string>} */
const manifests = new Map();

/**
 * The manifest; until it is loaded, "…" or the number of requests before it; "#" and the error if that fails.
 * `arrived` is called when the text has changed.
 * @param {string} api @param {string} run @param {"pod" | "node"} kind @param {string} namespace @param {string} name
 *   @param {() => void} arrived
 */
function manifest(api, run, kind, namespace, name, arrived) {
	const url = `${api}/runs/${run}/objects/${kind}/${namespace}/${encodeURIComponent(name)}`;
	const text = manifests.get(url);
	if (text !== undefined) return text;
	manifests.set(url, "…");
	const store = (/** @type {string} */ yaml) => {
		manifests.set(url, yaml);
		arrived();
	};
	/** @param {import("../shared/server.js").Waiting} waiting */
	const onWait = ({ ahead }) => store(`# ${t("busy.ahead", { n: ahead ?? 0 })}`);
	request(url, {}, { onWait }).then(({ status, body }) => {
		if (status !== 200) setTimeout(() => manifests.delete(url), ERROR_KEPT);
		store(status === 200 ? body.yaml : `# ${body.errors[0].message}`);
	});
	return "…";
}

/**
 * The part with the object's manifest.
 * @param {View} view @param {"pod" | "node"} kind @param {string} namespace @param {string} name
 */
function manifestPart(view, kind, namespace, name) {
	const text = manifest(view.boot.api, view.run.id, kind, namespace, name, () => view.act.set({}));
	return part("YAML", h("pre", { class: "yaml", tabindex: "0" }, text));
}

/**
 * The line with Filter's verdict on the node in this attempt; null if there is none, or it may not be shown.
 * @param {View} view @param {string} name
 */
function verdictOn(view, name) {
	const { state, act } = view;
	const pod = state.cycle.CycleStarted?.pod;
	const at = filterModel(state)?.at.get(name);
	if (!pod || !at || !mayShow(view, name)) return null;
	const { verdict } = at;
	const ref = `verdict:${name}:${verdict?.plugin}`;
	return h(
		"p",
		{ key: "verdict", class: "formula" },
		h("b", { class: verdict ? "no" : "yes" }, verdict ? "✕ " : "✓ "),
		verdict
			? link(`${shortPod(pod)}: ${plainReason(verdict.reasons[0] ?? "")}`, () => act.pin(ref))
			: t("inspect.fits", { pod: shortPod(pod) }),
	);
}

/**
 * The properties of a node, and what the plugins said about it; only a note if there is no such node.
 * @param {View} view @param {string} name @returns {Child}
 */
export function nodeInspector(view, name) {
	const node = view.state.nodes.get(name);
	if (!node) return [h("h2", { key: "name" }, name), h("p", { key: "gone", class: "note" }, t("inspect.nonode"))];
	const { summary } = node;
	const resources = Object.keys(summary.allocatable);
	return [
		h("p", { key: "kind", class: "margin-label" }, t("node")),
		h("h2", { key: "name" }, name),
		askButtons(view, "node", name),
		verdictOn(view, name),
		laterPlugins(view, name),
		h(
			"dl",
			{ key: "facts", class: "entries" },
			entry(
				"Taints",
				(summary.taints ?? []).length
					? (summary.taints ?? []).map(([key, value, effect]) =>
							h("code", { key: key + effect }, `${key}${value ? `=${value}` : ""}:${effect}`),
						)
					: "<none>",
			),
			entry("Unschedulable", String(summary.unschedulable ?? false)),
		),
		part(
			"Allocated resources",
			table(
				["Resource", "Requests", "Allocatable", "%"],
				resources.map((resource) =>
					row(resource, [
						resource,
						amount(resource, used(node, resource)),
						amount(resource, allocatable(node, resource)),
						decimal(Math.floor((used(node, resource) / Math.max(1, allocatable(node, resource))) * 100)),
					]),
				),
			),
		),
		part(
			`Non-terminated Pods (${node.pods.length})`,
			table(
				[t("pod"), "CPU", t("memory"), t("margin.priority")],
				node.pods.map((key) => {
					const pod = view.state.pods.get(key)?.summary;
					return row(key, [
						podLink(view, key),
						amount("cpu", pod?.requests?.cpu ?? 0),
						amount("memory", pod?.requests?.memory ?? 0),
						String(pod?.priority ?? 0),
					]);
				}),
			),
		),
		placedHere(view, name),
		part("Labels", h("p", { class: "labels" }, pairs(summary.labels))),
		manifestPart(view, "node", "_", name),
	];
}

/**
 * Whether Filter's verdict on the node may be shown: not if it answers an open question.
 * @param {View} view
 * @param {string} name
 */
function mayShow({ state, event, frame, horizon }, name) {
	const model = filterModel(state);
	if (!horizon || !model || event.type !== "NodesFiltered") return true;
	return Math.min(model.at.get(name)?.stop ?? 0, model.plugins.length - 1) <= frame;
}

/**
 * The section with the verdicts of the plugins after the first rejection of a node, which the scheduler did not call;
 * null if there are none, or they may not be shown.
 * @param {View} view @param {string} name
 */
function laterPlugins(view, name) {
	const { state, explainer, act } = view;
	const model = filterModel(state);
	const stop = model?.at.get(name)?.stop ?? model?.plugins.length ?? 0;
	const later = model?.plugins.slice(stop + 1) ?? [];
	if (!later.length || !mayShow(view, name)) return null;
	explainer.request(state.attempt, [name]);
	return part(
		t("inspect.unasked"),
		waitNote(view, name),
		h(
			"ul",
			{ class: "attempts" },
			later.map((plugin) => {
				const verdict = explainer.filter(state.attempt, name, plugin);
				const passes = verdict?.code === "Success";
				return h(
					"li",
					{ key: plugin },
					h("b", { class: verdict ? (passes ? "yes" : "no") : "" }, verdict ? (passes ? "✓ " : "✕ ") : "· "),
					link(plugin, () => act.pin(`verdict:${name}:${plugin}`)),
					verdict && !passes ? `${t("colon")}${verdict.reasons.map(plainReason).join(t("list.comma"))}` : "",
				);
			}),
		),
		h("p", { class: "note" }, t("inspect.unasked.why")),
	);
}

const MOST = 12; // rows: the latest pods

/** @typedef {{step: number, pod: string, why: string, lead: number | null}} Choice */

/**
 * The section with the pods that were placed on a node so far, and the reasons; null if there are none.
 * @param {View} view @param {string} name
 */
function placedHere(view, name) {
	const { here, all } = choicesOf(view, name);
	if (!here.length) return null;
	/** @type {Map<string, number>} */
	const tally = new Map();
	for (const { why } of here) tally.set(why, (tally.get(why) ?? 0) + 1);
	const reasons = [...tally].sort((a, b) => b[1] - a[1]).map(([why, n]) => t("placed.times", { why, n }));
	return part(
		t("placed.title"),
		h("p", { class: "note" }, t("placed.share", { n: here.length, all }), " ", reasons.join(t("list.comma"))),
		table(
			[t("pod"), t("placed.why"), "±"],
			here
				.slice(-MOST)
				.map(({ step, pod, why, lead }) =>
					row(String(step), [link(shortPod(pod), () => view.act.seek(step)), why, lead === null ? "" : `+${lead}`]),
				),
		),
		h("p", { class: "note" }, t("placed.note")),
	);
}

/**
 * The choices so far that fell on the node, with their reasons (`here`), and the number of all choices (`all`).
 * @param {View} view @param {string} name @returns {{here: Choice[], all: number}}
 */
function choicesOf({ store, state, step: now }, name) {
	/** @type {Choice[]} */
	const here = [];
	let all = 0;
	let pod = "";
	/** @type {any} */
	let scored = null;
	for (const { step, event } of store.walk(0, 1)) {
		if (step > now) break;
		if (event.type === "CycleStarted") [pod, scored] = [event.pod, null];
		if (event.type === "ScoresComputed") scored = event;
		if (event.type !== "HostSelected") continue;
		all += 1;
		if (event.node === name)
			here.push({
				step,
				pod,
				...decidingScore(event, scored && scores({ ...state, cycle: { ScoresComputed: scored } })),
			});
	}
	return { here, all };
}

/**
 * Why the node won (`why`): the plugin by which it leads the next-best node most, a tie, or no other node; and its
 * `lead` in points of the total, null without another node.
 * @param {any} event @param {Scores | null} model
 */
function decidingScore({ node, feasible, tied = 1 }, model) {
	if (!model || feasible < 2) return { why: t("placed.only"), lead: null };
	const own = model.names.indexOf(node);
	const rival = model.names
		.map((_, i) => i)
		.filter((i) => i !== own)
		.sort((a, b) => model.totals[b] - model.totals[a])[0];
	if (own < 0 || rival === undefined) return { why: t("placed.only"), lead: null };
	const lead = model.totals[own] - model.totals[rival];
	if (tied > 1 || lead === 0) return { why: t("placed.tie"), lead: 0 };
	const gaps = model.plugins.map((plugin) => plugin.weighted[own] - plugin.weighted[rival]);
	return { why: scoreName(model.plugins[gaps.indexOf(Math.max(...gaps))].plugin), lead };
}

/**
 * The address of the page that counts copies of a pod, for this page's release.
 * @param {View} view @param {string} pod
 */
export function capacityPage({ boot }, pod) {
	const kubernetes = new URLSearchParams(location.search).get("kubernetes");
	const query = new URLSearchParams({ pod, ...(kubernetes ? { kubernetes } : {}) });
	return `/s/${boot.scenario.id}/v/${boot.scenario.version}/capacity/?${query}`;
}
