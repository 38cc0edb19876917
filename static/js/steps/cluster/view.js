// @ts-check
/**
 * The cluster between cycles and in the binding cycle: nodes by zone, pods sized by request, room in every resource.
 */

import { h, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { zones } from "../../trace/room.js";
import { nodeCard } from "./node_card.js";

/** @typedef {import("./node_card.js").Size} Size */

const ROOMY = 12;
const FEW = 4;
const NARROW = 700;
const CARD = 250; // pixels that a card has at least, of those that flow
const EDGES = 54; // pixels of the stage and of a card that are no bar
const ROW = 112; // pixels of a card in which names stand under the bar
const MOST_TIERS = 5;

/** @param {Element} target @param {View} view @param {Parts} parts */
export function draw(target, view, { strips }) {
	const groups = zones(view.state);
	const count = view.state.nodes.size;
	const dense = count > ROOMY;
	const single = groups.length === 1 || groups.length > FEW;
	const columns = Math.min(groups.length, view.width <= NARROW ? 1 : dense ? 4 : FEW);
	const size = { dense, ...sizeOf(view, single, groups) };
	const alone = groups.length === 1 && !dense && view.width > NARROW;
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
					style: single
						? { "--across": String(size.across) }
						: { "grid-template-columns": `repeat(${columns}, minmax(0, 1fr))` },
				},
				groups.length === 0 && h("p", { key: "empty", class: "empty" }, t("cluster.empty")),
				groups.map(([zone, names]) => zoneColumn(view, zone, names, size)),
			),
			strips?.bindingStrips(view),
		),
	]);
}

/**
 * How many cards stand in a row, about how wide a bar is, how many rows of names stand under it, and how large all is.
 * @param {View} view @param {boolean} single @param {[string, string[]][]} groups
 */
function sizeOf({ sizes, width, state }, single, groups) {
	const count = state.nodes.size;
	const most = Math.max(1, Math.min(FEW, Math.floor(sizes.stage / CARD)));
	const even = Math.ceil(count / Math.ceil(count / (count === FEW ? 2 : most)));
	const flows = groups.length > 1 || count > ROOMY ? Math.floor(sizes.stage / CARD) : even;
	const across = Math.max(1, width <= NARROW ? 1 : single ? flows : groups.length);
	const down = single ? Math.ceil(count / across) : Math.max(0, ...groups.map(([, names]) => names.length));
	const room = (sizes.height - 150) / Math.max(1, down);
	const high = width <= NARROW ? ROW : room;
	const bar = (sizes.stage - 16 * across) / across - EDGES + 16;
	const scale = width > NARROW && bar > 330 && room > 270 ? 1.3 : 1;
	const tiers = Math.max(0, Math.min(MOST_TIERS, Math.floor((high - ROW * scale) / (20 * scale)) + 1));
	return { across, width: bar, tiers, scale };
}

/** @param {View} view @param {string} zone @param {string[]} names @param {Size} size */
function zoneColumn(view, zone, names, size) {
	const pods = names.reduce((sum, name) => sum + (view.state.nodes.get(name)?.pods.length ?? 0), 0);
	return h(
		"section",
		{ key: `zone${zone}`, class: "zone" },
		h(
			"h3",
			{ key: "title" },
			h("span", null, zone ? t("cluster.zone", { zone }) : t("cluster.nozone")),
			zone && h("span", { key: "like", class: "zone-like" }, alike(view, names)),
			h("span", { key: "pods" }, t("cluster.pods", { n: pods })),
		),
		h(
			"div",
			{ key: "cards", class: "cards" },
			names.map((name) => nodeCard(view, name, size)),
		),
	);
}

/** Pods of a zone like the amber one: what spreading counts. @param {View} view @param {string[]} names */
function alike({ state, hero, event }, names) {
	const label = Object.entries(state.pods.get(hero)?.summary.labels ?? {}).find(([key]) =>
		/(^|\/)(app|name)$/.test(key),
	);
	if (!label) return "";
	const keys = names.flatMap((name) => state.nodes.get(name)?.pods ?? []);
	const n = keys.filter((key) => state.pods.get(key)?.summary.labels?.[label[0]] === label[1]).length;
	const came = event.type === "PodAssumed" && keys.includes(event.pod);
	const what = `${label[0].slice(label[0].lastIndexOf("/") + 1)}=${label[1]}`;
	return came ? t("cluster.like.was", { n, what, was: n - 1 }) : t("cluster.like", { n, what });
}
