// @ts-check
/** Of several panels: comparisons, the rule and where it is written, what a pod asks for. */

import { h } from "../../shared/dom.js";
import { has, t } from "../../shared/i18n.js";
import { podName, quantity } from "../../shared/units.js";
import { passWords, stopWords } from "./fact_words.js";
import { panel } from "./panel.js";
import { wishesOf } from "./wishes.js";

const SOURCE = "https://github.com/kubernetes/kubernetes/tree/release-*/pkg/scheduler/framework/plugins/";

/** @param {View} view @param {Fact[]} list @param {boolean} [known] the comparison is already shown as a table */
export function facts(view, list, known = false) {
	if (known || !list.length) return null;
	return h(
		"ul",
		{ key: "facts", class: "facts" },
		list.map((fact, i) =>
			h(
				"li",
				{ key: i },
				h(
					"p",
					{ class: "formula" },
					compared(fact, view.hero),
					" ",
					h("b", { class: fact.holds ? "yes" : "no" }, fact.holds ? "✓" : "✕"),
				),
				fact.text && t("language") === "en" && h("small", null, fact.text),
			),
		),
	);
}

/** A comparison in words, or with its signs where those are numbers'. @param {Fact} fact @param {string} hero */
function compared(fact, hero) {
	const words = fact.holds ? passWords([fact]) : stopWords(fact, hero)?.filter(Boolean).join(t("clause"));
	if (words) return words;
	const labels = /^(NodeAffinity|VolumeBinding)/.test(fact.key) ? "matches" : "among";
	const sign = { "∈": t(`sign.${labels}`), "∉": t(`sign.${labels}.not`) }[fact.op] ?? fact.op;
	return `${fact.left} ${sign} ${fact.right}`;
}

/**
 * The rule in words, where it is written here, and kube-scheduler's own.
 * @param {State} state @param {string} plugin @param {string} [method]
 */
export function rule(state, plugin, method = "filter") {
	const version = state.kubernetes_version;
	const link = (/** @type {string} */ key, /** @type {string} */ href) =>
		h("a", { key, href, target: "_blank", rel: "noopener noreferrer" }, t(key));
	return [
		has(`rule.${plugin}`) && h("p", { key: "rule", class: "note" }, t(`rule.${plugin}`)),
		/^[A-Z]\w*$/.test(plugin) &&
			plugin !== "Fault" &&
			h(
				"p",
				{ key: "source", class: "note sources" },
				link("margin.source", `/plugins/${plugin}/?kubernetes=${version}#${method}`),
				(has(`question.${plugin}`) || has(`score.${plugin}`) || has(`rule.${plugin}`)) &&
					link("margin.upstream", upstream(plugin, version)),
			),
	];
}

/**
 * @param {string} plugin @param {string} version
 */
function upstream(plugin, version) {
	if (plugin === "Coscheduling")
		return "https://github.com/kubernetes-sigs/scheduler-plugins/tree/master/pkg/coscheduling";
	const resources = plugin === "NodeResourcesFit" || plugin === "NodeResourcesBalancedAllocation";
	const sorts = plugin === "PrioritySort";
	return SOURCE.replace("*", version) + (resources ? "noderesources" : sorts ? "queuesort" : plugin.toLowerCase());
}

/**
 * What the pod asks for; the lines that this plugin read stand out.
 * @param {View} view @param {string} plugin
 */
export function specOf(view, plugin) {
	const pod = view.state.pods.get(view.hero);
	if (!pod) return null;
	const fit = plugin.startsWith("NodeResources");
	/** @type {[string, boolean][]} */
	const lines = Object.entries(pod.summary.requests ?? {}).map(([name, value]) => [
		`requests.${name}: ${quantity(name, value)}`,
		fit,
	]);
	lines.push([`priority: ${pod.summary.priority ?? 0}`, plugin === "priority"]);
	for (const [key, value] of Object.entries(pod.summary.labels ?? {}).slice(0, 4))
		lines.push([`${key}: ${value}`, plugin === "PodTopologySpread" || plugin === "InterPodAffinity"]);
	for (const [text, readers] of wishesOf(pod)) lines.push([text, readers.test(plugin)]);
	return h(
		"div",
		{ key: "spec", class: "spec" },
		h("h3", null, t("margin.asks", { pod: podName(view.hero) })),
		lines.map(([text, hot]) => h("code", { key: text, class: hot ? "hot" : "" }, text)),
		h(
			"button",
			{
				key: "yaml",
				type: "button",
				class: "link",
				on: { click: () => view.act.select({ kind: "pod", name: view.hero }) },
			},
			t("margin.inspect"),
		),
	);
}

/** @param {View} view @param {string} key */
export function asks(view, key) {
	const name = view.state.pods.has(key) ? key : view.hero;
	return name && view.state.pods.has(name)
		? panel(
				t("margin.request"),
				podName(name),
				specOf({ ...view, hero: name }, view.event.rejected_by ?? "NodeResourcesFit"),
				h("p", { key: "note", class: "note" }, t("margin.requestsnote")),
			)
		: null;
}
