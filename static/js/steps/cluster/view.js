// @ts-check
/**
 * The cluster between cycles and in the binding cycle: nodes by zone, pods sized by request, and the used share of
 * every resource.
 */

import { button, h, PHONE, patch } from "../../shared/dom.js";
import { list, plain, t } from "../../shared/i18n.js";
import { nodeName, podParts, shortened, shortPod } from "../../shared/names.js";
import { amount, cutName, nameInKey, outOf, quantity, seconds, short } from "../../shared/units.js";
import { allocatable, heldFor, largest, nominatedTo, request, used, zones } from "../../trace/room.js";
import { storageKey } from "../../trace/state.js";
import { bindingStrips } from "../binding/view.js";
import { filterModel, stoppedShort } from "../filter/model.js";
import { deviceRows } from "../parts/devices.js";
import { alikeText, plainBar, podBar, podLabel, tags, wholeName } from "../parts/pods.js";
import { scores } from "../score/bars.js";
import { reachText } from "./words.js";

const ROOMY = 12; // nodes; of more, the cards are small
const FEW = 4; // columns
const CARD = 250; // least width of a card, in pixels
const EDGES = 54; // pixels beside a card's bar
const ROW = 112; // pixels of a card in which names stand under the bar
const MAX_TIERS = 5; // rows of names below a bar
const LOWEST = 24; // pixels of a bar
const STRIPS = 70; // pixels of the binding cycle below the nodes

/** Draws the cluster: the nodes by zone. @param {Element} target @param {View} view */
export function draw(target, view) {
	const groups = zones(view.state);
	const count = view.state.nodes.size;
	const dense = count > ROOMY;
	const single = groups.length === 1 || groups.length > FEW;
	const columns = Math.min(groups.length, view.width <= PHONE ? 1 : dense ? 4 : FEW);
	const space = layoutOf(view, single, groups);
	const bars = new Map(dense ? [] : [...view.state.nodes.values()].map((node) => [node, barNames(view, node, space)]));
	const rows = Math.max(0, ...[...bars.values()].map((bar) => bar.rows));
	const strips = bindingStrips(view);
	const spare = strips.flat().some(Boolean) ? 0 : STRIPS;
	/** The height of the bars in a column of `down` cards. @param {number} down */
	const barHeight = (down) =>
		Math.max(LOWEST, (space.height * space.down + spare) / down - (ROW - LOWEST + rows * TIER) * space.scale);
	const kept = [...view.state.nodes.keys()].some((name) => nominatedTo(view.state, name).length > 0);
	const size = { dense, bars, kept, ...space };
	const alone = groups.length === 1 && !dense && view.width > PHONE;
	patch(target, [
		h(
			"div",
			{
				key: "cluster",
				class: `cluster ${dense ? "dense" : ""} ${alone ? "alone" : ""} ${size.scale > 1 ? "large" : ""}`,
			},
			h(
				"div",
				{
					key: "zones",
					class: `zones ${single ? "flow" : ""}`,
					style: {
						"--bar-high": `${barHeight(space.down)}px`,
						...(single
							? { "--across": String(size.across) }
							: { "grid-template-columns": `repeat(${columns}, minmax(0, 1fr))` }),
					},
				},
				groups.length === 0 && h("p", { key: "empty", class: "empty" }, t("cluster.empty")),
				groups.map(([zone, names], i) =>
					zoneColumn(view, zone, names, size, {
						upcoming: i === groups.length - 1 ? upcomingCards(view) : [],
						height: single || view.width <= PHONE ? 0 : barHeight(names.length),
					}),
				),
			),
			strips,
		),
	]);
	scrollToNode(/** @type {HTMLElement} */ (target), view);
}

/**
 * Scrolls the step's node into view, once per frame, if the nodes do not fit.
 * @param {HTMLElement} target @param {View} view
 */
function scrollToNode(target, view) {
	const at = `${view.step}.${view.frame}`;
	if (target.dataset.shown === at) return;
	target.dataset.shown = at;
	const name = nodeOf(view);
	const card = name ? target.querySelector(`[data-node="${CSS.escape(name)}"]`) : null;
	const scroller = card?.closest(".zones");
	if (!card || !scroller || scroller.scrollHeight <= scroller.clientHeight) return;
	const [box, frame] = [card.getBoundingClientRect(), scroller.getBoundingClientRect()];
	const out = Math.min(0, box.top - frame.top) || Math.max(0, box.bottom - frame.bottom);
	scroller.scrollTop += out / (document.body.currentCSSZoom ?? 1);
}

/**
 * The node that a step is about: the event's, the one that a pod leaves, or the subject's; "" if there is none.
 * @param {View} view
 */
function nodeOf(view) {
	const { event, store, step } = view;
	if (event.kind === "Node") return event.name;
	if (typeof event.node === "string") return event.node;
	const pod =
		typeof event.pod === "string" ? event.pod : event.kind === "Pod" ? `${event.namespace}/${event.name}` : "";
	return store.stateAfter(step - 1)?.pods.get(pod)?.node || targetOf(view);
}

/**
 * The layout of the cards: cards per row and column, approximate width of a bar, rows of names below it, scale, height
 * of a card.
 * @param {View} view @param {boolean} single @param {[string, string[]][]} groups
 */
function layoutOf({ sizes, width, state, index, step }, single, groups) {
	const count = state.nodes.size + index.nodes.upcoming(step).length;
	const most = Math.max(1, Math.min(FEW, Math.floor(sizes.stage / CARD)));
	const even = Math.ceil(count / Math.ceil(count / (count === FEW ? 2 : most)));
	const flows = groups.length > 1 || count > ROOMY ? Math.floor(sizes.stage / CARD) : even;
	const across = Math.max(1, width <= PHONE ? 1 : single ? flows : groups.length);
	const down = single ? Math.ceil(count / across) : Math.max(0, ...groups.map(([, names]) => names.length));
	const room = (sizes.height - 150) / Math.max(1, down);
	const height = width <= PHONE ? ROW : room;
	const bar = (sizes.stage - 16 * across) / across - EDGES + 16;
	const scale = width > PHONE && bar > 330 && room > 270 ? 1.3 : 1;
	const tiers = Math.max(0, Math.min(MAX_TIERS, Math.floor((height - ROW * scale) / (20 * scale)) + 1));
	return { across, down: Math.max(1, down), width: bar, tiers, scale, height };
}

/**
 * The column of a zone: its name, the number of its pods, and the cards of its nodes.
 * @param {View} view @param {string} zone @param {string[]} names @param {Size} size
 * @param {{upcoming: Child[], height: number}} own further cards; pixels of its bars, 0: as in others
 */
function zoneColumn(view, zone, names, size, { upcoming, height }) {
	const pods = names.reduce((sum, name) => sum + (view.state.nodes.get(name)?.pods.length ?? 0), 0);
	return h(
		"section",
		{ key: `zone${zone}`, class: "zone", style: height && !upcoming.length ? { "--bar-high": `${height}px` } : {} },
		h(
			"h3",
			{ key: "title" },
			h(
				"span",
				{ title: zone || null },
				zone ? t("cluster.zone", { zone: zoneName(view.state, zone, size) }) : t("cluster.nozone"),
			),
			zone && h("span", { key: "like", class: "zone-like", title: alikeText(view, names) }, alikeText(view, names)),
			h("span", { key: "pods" }, t("cluster.pods", { n: pods })),
		),
		h(
			"div",
			{ key: "cards", class: "cards" },
			names.map((name) => nodeCard(view, name, size)),
			upcoming,
		),
	);
}

const ZONE_LETTERS = 22; // of a zone's head beside the zone's name

/**
 * The part of a zone's name that differs from the others, if the full name does not fit.
 * @param {State} state @param {string} zone @param {Size} size
 */
function zoneName(state, zone, { width }) {
	if (zone.length + ZONE_LETTERS < width / LETTER) return zone;
	return (
		shortened(
			zones(state).map(([name]) => name),
			0,
		).get(zone) ?? zone
	);
}

const LETTER = 8.4; // pixels of a letter of a node's name
const DENSE_LETTERS = 16;

/**
 * @typedef {{width: number, tiers: number, scale: number}} Space pixels of a bar, rows of names, size of letters
 * @typedef {Space & {dense: boolean, kept: boolean, bars: Map<NodeState, ReturnType<typeof barNames>>}} Size
 */

/**
 * The card of a node; null if it does not exist at this step.
 * @param {View} view @param {string} name @param {Size} size
 */
function nodeCard(view, name, size) {
	const node = view.state.nodes.get(name);
	if (!node) return null;
	const selected = view.selection?.kind === "node" && view.selection.name === name;
	const mine = targetOf(view) === name;
	const { event } = view;
	const changed = event.kind === "Node" && event.name === name;
	const loses = event.type === "VictimEvicted" && event.node === name;
	const click = () => view.act.select({ kind: "node", name });
	const signs = signsOf(view, node);
	const lost = signs.some(({ kind }) => kind === "notready");
	const shown = nodeName(name, size.dense ? DENSE_LETTERS : (0.7 * size.width) / LETTER / size.scale);
	return h(
		"article",
		{
			key: name,
			class: ["node-card", mine && "mine", selected && "selected", (changed || loses) && "changed", lost && "lost"]
				.filter(Boolean)
				.join(" "),
			"data-node": name,
		},
		h(
			"header",
			null,
			button(click, { class: "node-name", ...wholeName(name, shown) }, shown),
			signs.map(({ kind, text }) => h("span", { key: kind, class: `sign ${kind}`, title: text }, text)),
			!size.dense &&
				tags(
					view.state,
					node,
					size.width / LETTER / size.scale - shown.length - 2,
					changed ? view.store.stateAfter(view.step - 1)?.nodes.get(name) : undefined,
				),
			!size.dense && noteLine(noteOf(view, name, mine)),
		),
		size.dense ? plainBar(view, name, barResource(node)) : podBars(view, node, size),
		size.dense ? nominationNote(view, name) || denseNote(view, node) : resourceGauges(view, node, mine),
		deviceRows(view, name, size.dense),
		// an empty row where others have one, so that gauges stand side by side
		!size.dense && (nominationNote(view, name) || (size.kept && h("small", { key: "kept", class: "kept" }, "\u00a0"))),
	);
}

/**
 * The signs of a node: it does not report, it is not ready, it is being drained.
 * @param {View} view @param {NodeState} node @returns {{kind: string, text: string}[]}
 */
function signsOf({ index, state, step }, node) {
	const { name } = node.summary;
	const log = index.nodes;
	const since = (/** @type {{time: number} | undefined} */ change) => state.time - (change?.time ?? state.time);
	const signText = (/** @type {string} */ kind, /** @type {number} */ time) =>
		t(time > 0 ? `node.${kind}` : `node.${kind}.now`, { time: seconds(time) });
	const signs = [];
	const silent = log.last(name, step, "failNode", "recoverNode");
	if (node.ready && node.ready !== "True")
		signs.push({
			kind: "notready",
			text: signText("notready", since(log.last(name, step, "True", "False", "Unknown"))),
		});
	else if (silent?.change === "failNode") signs.push({ kind: "silent", text: signText("silent", since(silent)) });
	const stays = (/** @type {string} */ key) => /^(DaemonSet|Node)\//.test(state.pods.get(key)?.summary.owner ?? "");
	const left = node.pods.filter((key) => !stays(key)).length;
	if (left && node.summary.unschedulable && log.last(name, step, "drain", "uncordon")?.change === "drain")
		signs.push({ kind: "draining", text: t("node.draining", { n: left }) });
	return signs;
}

/** Cards of machines that were requested and are not nodes yet. @param {View} view @returns {Child[]} */
function upcomingCards({ index, state, step }) {
	return index.nodes
		.upcoming(step)
		.map(({ group, n, since }) =>
			h(
				"article",
				{ key: `upcoming ${group}`, class: "node-card upcoming" },
				h("header", null, h("b", { class: "node-name" }, group)),
				h("p", null, t("node.upcoming", { n })),
				h(
					"small",
					null,
					t(state.time > since ? "node.asked" : "node.asked.now", { time: seconds(state.time - since) }),
				),
			),
		);
}

/** The note on a node. @param {string} text */
function noteLine(text) {
	return h("span", { class: "node-note", title: text || null }, text);
}

/**
 * The names on a node's bar and below it, and the pods that are drawn as held (`held`).
 * @param {View} view @param {NodeState} node @param {Space} space
 */
function barNames(view, node, space) {
	const { name } = node.summary;
	const back = view.event.type === "PodUnreserved" && view.event.node === name; // its former place, hatched
	const held = [...heldFor(view.state, name, undefined), ...(back ? [view.event.pod] : [])];
	return { held, ...namesOf(view, node, barResource(node), held, space) };
}

/** A node's bar of pods, and the names below it. @param {View} view @param {NodeState} node @param {Size} size */
function podBars(view, node, { bars }) {
	const { held, inside, under } = /** @type {ReturnType<typeof barNames>} */ (bars.get(node));
	return [podBar(view, node.summary.name, barResource(node), { held, inside }), under];
}

/** The line with the used cpu of a node and its tags, on a small card. @param {View} view @param {NodeState} node */
function denseNote({ state }, node) {
	return h(
		"small",
		{ class: "dense-note" },
		`${amount("cpu", used(node, "cpu"))} / ${quantity("cpu", allocatable(node, "cpu"))}`,
		tags(state, node),
	);
}

/** The note with the pods that are nominated to a node; false without any. @param {View} view @param {string} name */
function nominationNote({ state }, name) {
	const pods = nominatedTo(state, name).map(shortPod);
	const text = t("cluster.kept", { pods: plain(list(pods, 2)) });
	return pods.length > 0 && h("small", { key: "kept", class: "kept", title: text }, text);
}

/** The node that the subject goes to or went to; "" if there is none. @param {View} view */
function targetOf({ state, subject, event }) {
	const pod = state.pods.get(subject);
	return event.node && typeof event.node === "string" && event.pod === subject
		? event.node
		: pod?.node || pod?.nominated_node || "";
}

/** The resource along which a node's bar is drawn. @param {NodeState} node */
function barResource(node) {
	return node.summary.allocatable.cpu ? "cpu" : "memory";
}

/**
 * A node's result in this attempt: its points, or why it was rejected; a star on the subject's node, or that the pod
 * leaves it; "" if there is none.
 * @param {View} view @param {string} name @param {boolean} mine whether the subject goes there
 */
function noteOf(view, name, mine) {
	const { state, subject, event, moment } = view;
	if (mine && event.type === "PodUnreserved") return t("cluster.back");
	if (!subject || state.cycle.CycleStarted?.pod !== subject) return "";
	const total = scores(state);
	const at = total?.names.indexOf(name) ?? -1;
	if (total && at >= 0) return mine ? `★ ${total.totals[at]}` : t("cluster.points", { n: total.totals[at] });
	const verdict = isUnchanged(state, moment("NodesFiltered"), name) && filterModel(state)?.at.get(name)?.verdict;
	return verdict ? `✕ ${stoppedShort({ ...view, state: moment("NodesFiltered") }, name, verdict)}` : mine ? "★" : "";
}

/**
 * Whether a node, and its nominations, are the same as at another step.
 * @param {State} now
 * @param {State} then
 * @param {string} name
 */
function isUnchanged(now, then, name) {
	const [node, former] = [now.nodes.get(name), then.nodes.get(name)];
	if (node?.summary !== former?.summary || node?.pods.join() !== former?.pods.join()) return false;
	return nominatedTo(now, name).join() === nominatedTo(then, name).join();
}

const MAX_GAUGES = 4;

/** The resources that gauges can show, in the node's order. @param {NodeState} node */
function shownResources(node) {
	return Object.keys(node.summary.allocatable).filter(
		(name) =>
			name === "cpu" ||
			name === "memory" ||
			(name !== "pods" && name !== "ephemeral-storage" && node.summary.allocatable[name] > 0) ||
			(name === "ephemeral-storage" && used(node, name) > 0),
	);
}

/**
 * A node's gauges, MAX_GAUGES at most: how much of each resource is requested.
 * @param {View} view @param {NodeState} node @param {boolean} mine
 */
function resourceGauges({ state, subject, event }, node, mine) {
	const landing = mine && event.type === "PodAssumed";
	return h(
		"div",
		{ key: "gauges", class: "gauges" },
		shownResources(node)
			.slice(0, MAX_GAUGES)
			.map((name) => {
				const whole = Math.max(1, allocatable(node, name));
				const taken = used(node, name);
				const own = mine && node.pods.includes(subject) ? (state.pods.get(subject)?.summary.requests?.[name] ?? 0) : 0;
				const sum = outOf(name, taken, whole, (part, all) => t("cluster.of", { used: part, all }));
				const before = outOf(name, taken - own, whole, (part) => part).replace(/ [KMGTP]iB$/, "");
				return h(
					"div",
					{ key: name, class: "gauge" },
					h("span", { title: name }, name === "memory" ? "mem" : short(name)),
					h(
						"span",
						{ class: "gauge-bar", style: { "--share": String(whole / Math.max(whole, largest(state, name))) } },
						h("i", { style: { width: `${((taken - own) / whole) * 100}%` } }),
						h("u", { style: { width: `${(own / whole) * 100}%` } }),
					),
					h("b", null, landing && own ? `${before} → ${sum}` : sum),
				);
			}),
	);
}

const FONT = 13; // pixels, where nothing is drawn larger
const NAME_LETTER = 7.4; // about
const WIDE_LETTER = 8.4;
const APART = 8;
const PADDING = 12;
const LEAST = 5; // letters of a workload's name
const SIDES = 9;
const TIER = 16;

/** @typedef {{key: string, textWidth: number, middle: number}} Name in pixels */

/**
 * The names of pods: `inside` gives the one in a pod's block, shortened or "" where it does not fit; `under` are those
 * below the bar, in `rows` rows.
 * @param {View} view @param {NodeState} node @param {string} resource @param {string[]} held
 * @param {{width: number, tiers: number, scale: number}} size the bar's pixels, rows of names, size of letters
 */
function namesOf(view, node, resource, held, { width: pixels, tiers, scale }) {
	const share = allocatable(node, resource) / largest(view.state, resource);
	const width = (pixels * share) / scale; // as if letters were small
	const keys = [...node.pods, ...held];
	const requests = keys.map((key) => request(view.state, key, resource));
	const sum = requests.reduce((a, b) => a + b, 0);
	const whole = Math.max(1, node.summary.allocatable[resource] ?? 1, sum);
	let at = 0;
	const names = keys.map((key, i) => {
		const block = (requests[i] / whole) * width;
		at += block;
		return { key, block, textWidth: shortPod(key).length * NAME_LETTER, middle: at - block / 2 };
	});
	const narrow = names.filter(({ block, textWidth }) => block < textWidth + PADDING);
	const below = placeNames(narrow, width, tiers);
	const inside = (/** @type {string} */ key) => {
		const written = names.find((name) => name.key === key);
		if (!written || below.some((name) => name.key === key)) return "";
		if (!narrow.includes(written)) return podLabel(key);
		const [workload, hash] = podParts(key);
		const shorter = [hash && workload, hash || abbreviate(workload)].filter(Boolean);
		const widthOf = (/** @type {string} */ text) =>
			(text.length + (/[mwMW]/.test(text) ? 0.5 : 0)) * NAME_LETTER + SIDES;
		const fitting = shorter.find((text) => widthOf(text) <= written.block);
		const letters = Math.floor((written.block - SIDES) / WIDE_LETTER);
		return hash && fitting !== workload && letters >= LEAST
			? `${workload.slice(0, letters - 1).replace(/[-.]$/, "")}…`
			: (fitting ?? "");
	};
	const rows = Math.max(-1, ...below.map(({ tier }) => tier)) + 1;
	return { inside, rows, under: namesBelow(view, below, width, share) };
}

/** "m-1" for mail-1: the pods of a workload differ at the end. @param {string} name */
function abbreviate(name) {
	const at = name.lastIndexOf("-");
	return at > 0 ? `${name[0]}${name.slice(at)}` : name;
}

/**
 * Places the names from right to left, each as high as possible, so that no line crosses a name; leaves out those for
 * which there is no room.
 * @param {Name[]} names @param {number} width @param {number} tiers
 */
function placeNames(names, width, tiers) {
	/** @type {number[]} the left end of the names in each tier */
	const ends = Array(tiers).fill(width + APART);
	return [...names].reverse().flatMap((name) => {
		const left = Math.max(0, Math.min(name.middle, width - name.textWidth));
		const tier = ends.findIndex((end) => left + name.textWidth + APART <= end);
		for (let above = 0; above <= tier; above += 1) ends[above] = Math.min(ends[above], left, name.middle);
		return tier < 0 ? [] : [{ ...name, left, tier }];
	});
}

/**
 * The names below a bar, each with a line to its pod; false if there are none.
 * @param {View} view @param {(Name & {left: number, tier: number})[]} names @param {number} width of the bar
 * @param {number} part of the card's width that the bar takes
 */
function namesBelow({ subject, act }, names, width, part) {
	const share = (/** @type {number} */ pixels) => `${(pixels / width) * 100 * part}%`;
	const rows = Math.max(-1, ...names.map((box) => box.tier)) + 1;
	const nameWithLine = (/** @type {typeof names[0]} */ { key, left, tier, middle }) => {
		const click = () => act.select({ kind: "pod", name: key });
		const place = { left: share(left), top: `${(tier * TIER + 4) / FONT}em` };
		return [
			h("i", { key: `l${key}`, style: { left: share(middle), height: `${(tier * TIER + 5) / FONT}em` } }),
			button(
				click,
				{ key, class: key === subject ? "mine" : "", style: place, ...wholeName(nameInKey(key), shortPod(key)) },
				podLabel(key),
			),
		];
	};
	const style = { height: `${(rows * TIER + 4) / FONT}em` };
	return rows > 0 && h("div", { key: "names", class: "outside-names", style }, names.map(nameWithLine));
}

const LETTERS = 26;

/**
 * The rows of the subject's PersistentVolumeClaims and ResourceClaims, two of each at most; the picture of the search
 * for devices shows the ResourceClaims itself.
 * @param {View} view @returns {Child[]}
 */
export function claimRows({ state, subject, scene }) {
	const namespace = subject.slice(0, subject.indexOf("/"));
	const claims = (state.pods.get(subject)?.summary.wishes ?? []).filter((wish) => wish.kind === "claim");
	const rows = claims.slice(0, 2).map(({ value: name }) => {
		const claim = state.storage.get(storageKey({ kind: "PersistentVolumeClaim", namespace, name }));
		const text = claim ? claimText(claim) : t("claim.none");
		const volume = claim?.bound && state.storage.get(storageKey({ kind: "PersistentVolume", name: claim.bound }));
		return h(
			"p",
			{ key: `claim${name}`, class: "claim" },
			h("b", null, t("claim.name", { name })),
			h("span", { class: "claim-what", title: text }, text),
			claim && h("i", { class: volume ? "tied" : "" }),
			claim && h("b", { class: volume ? "" : "open", title: claim.bound || null }, volumeName(claim.bound)),
			volume && h("span", { title: reachText(volume) }, reachText(volume)),
		);
	});
	return scene === "devices" ? rows : [...rows, ...deviceClaimRows({ state, subject })];
}

/**
 * The rows of the pod's first two ResourceClaims: their devices, and the pods that use them.
 * @param {Pick<View, "state" | "subject">} view @returns {Child[]}
 */
function deviceClaimRows({ state, subject }) {
	const namespace = subject.slice(0, subject.indexOf("/"));
	const wishes = (state.pods.get(subject)?.summary.wishes ?? []).filter((wish) => wish.kind === "device");
	return wishes.slice(0, 2).map(({ value: name }) => {
		const claim = state.claims.get(`${namespace}/${name}`);
		const { devices = [], reserved_for: users = [] } = claim ?? {};
		const names = devices.map(({ device }) => device);
		return h(
			"p",
			{ key: `devices${name}`, class: "claim" },
			h("b", null, t("claim.name", { name })),
			h("i", { class: names.length ? "tied" : "" }),
			h(
				"b",
				{ class: names.length ? "" : "open" },
				claim ? (names.length ? plain(list(names, 4)) : t("claim.devices.open")) : t("claim.none"),
			),
			users.length > 0 && h("span", null, t("claim.reserved", { pods: plain(list(users, 3)) })),
		);
	});
}

/** The name of a claim's volume, or that it has none. @param {string | undefined} name */
function volumeName(name) {
	return name ? t("claim.volume", { name: cutName(name, LETTERS) }) : t("claim.unbound");
}

/** The size and the class of a claim in words. @param {import("../../trace/trace").Storage} claim */
function claimText({ size = 0, storage_class: kind = "" }) {
	return [quantity("memory", size), kind && t("storage.class", { name: kind })].filter(Boolean).join(t("list.comma"));
}
