// @ts-check
/**
 * The search for devices: the claims that the pod carries, with a place for each device; the nodes with their devices;
 * and the tries on the node that is searched, one under the other.
 */

import { button, h, PHONE, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { nameInKey } from "../../shared/units.js";
import { chip, counterBars, deviceKey, poolsByNode } from "../parts/devices.js";
import { chosenAfter, deviceName, placeAt, placesOf, rejectedDevices } from "./model.js";
import { outcomeWords, tryWords } from "./words.js";

/** @typedef {import("./model.js").Searched} Searched */
/** @typedef {import("./model.js").NodeSearch} NodeSearch */
/** @typedef {import("./model.js").Place} Place */

const MARKS = { found: "✓", none: "✕", unavailable: "✕", error: "!" };
const SIGNS = /** @type {Record<string, string>} */ ({ taken: "✓", returned: "↩", subrequest: "▸" });
const MAX_SLOTS = 8;
const FEW = 3; // nodes that leave room for the names of devices

/** Draws the search for devices; nothing if the cycle had none. @param {Element} target @param {View} view */
export function draw(target, view) {
	/** @type {Searched | undefined} */
	const event = view.state.cycle.DevicesSearched;
	if (!event) return patch(target, []);
	const place =
		view.event.type === "DevicesSearched" ? placeAt(event, view.frame) : (placesOf(event).at(-1) ?? placeAt(event, 0));
	patch(target, [
		h(
			"div",
			{ key: "search", class: `device-search ${view.width <= PHONE ? "in-lanes" : ""}` },
			claimCards(view.state, event, place),
			h(
				"div",
				{ key: "nodes", class: `search-nodes ${event.nodes.length <= FEW ? "few" : ""}` },
				event.nodes.map((nodeEntry, i) => nodeRow(view, nodeEntry, i, place, event.nodes.length <= FEW)),
				moreNodesNote(event),
			),
			searchLog(event, place),
			deviceKey(view.state),
		),
	]);
}

/** A note on how many nodes the event leaves out; false if none. @param {Searched} event @returns {Child} */
function moreNodesNote({ more: n = 0 }) {
	return n > 0 && h("p", { key: "more", class: "note" }, t("devices.more", { n }));
}

/**
 * The cards of the pod's claims, with a place for each device. A shared claim may already be allocated.
 * @param {State} state @param {Searched} event @param {Place} place
 */
function claimCards(state, { claims: keys, requests, nodes }, place) {
	const search = nodes[place.node];
	const chosen = search
		? place.ended
			? (search.found ?? []).map(([claim, request, device]) => ({ claim, request, device }))
			: chosenAfter(search, place.tries)
		: [];
	return h(
		"div",
		{ key: "claims", class: "carried" },
		keys.map((key) =>
			h(
				"section",
				{ key, class: "carried-claim" },
				h("h3", null, t("devices.claim", { name: nameInKey(key) })),
				requests
					.filter((request) => request.claim === key)
					.map((request) => {
						const picked = chosen.filter((choice) => choice.claim === key && choice.request === request.name);
						const own = picked.length ? picked : devicesOf(state, key, request.name);
						const count = request.count || Math.max(1, own.length);
						return h(
							"p",
							{ key: request.name, class: `carried-request ${request.of_list ? "listed" : ""}` },
							h("b", null, request.name),
							h(
								"small",
								null,
								t(request.count ? "devices.request" : "devices.request.all", {
									n: request.count,
									class: request.device_class,
								}),
							),
							h(
								"span",
								{ class: "slots" },
								Array.from({ length: Math.min(count, MAX_SLOTS) }, (_, i) =>
									h("i", { key: i, class: own[i] ? "filled" : "" }, own[i] ? deviceName(own[i].device) : ""),
								),
							),
						);
					}),
			),
		),
	);
}

/**
 * The devices that a claim has for a request.
 * @param {State} state @param {string} key @param {string} request @returns {{device: string}[]}
 */
function devicesOf(state, key, request) {
	const devices = state.claims.get(key)?.devices ?? [];
	return devices
		.filter((choice) => choice.request === request)
		.map(({ driver, pool, device }) => ({ device: `${driver}/${pool}/${device}` }));
}

/**
 * The row of a node: its pools with their devices, and the result of its search.
 * @param {View} view @param {NodeSearch} search @param {number} i @param {Place} place @param {boolean} few nodes
 */
function nodeRow(view, search, i, place, few) {
	const current = i === place.node;
	const past = i < place.node || (current && place.ended);
	const own = poolsByNode(view.state).get(search.node) ?? [];
	const shared = poolsByNode(view.state).get("") ?? [];
	const tries = current ? place.tries : past ? (search.tries ?? []).length : 0;
	const chosen = new Map(
		(past && search.found?.length
			? search.found.map(([, request, device]) => ({ device, request }))
			: past
				? []
				: chosenAfter(search, tries)
		).map((choice) => [choice.device, choice.request]),
	);
	const rejected = current && !place.ended ? rejectedDevices(search, tries) : new Set();
	const now = current && !place.ended ? (search.tries?.[tries - 1]?.devices ?? []) : [];
	const click = () => view.act.select({ kind: "node", name: search.node });
	return h(
		"section",
		{
			key: search.node,
			class: `search-node ${current ? "current" : ""} ${past ? `past ${search.outcome}` : ""}`,
			"data-node": search.node,
		},
		h(
			"header",
			null,
			button(click, { class: "node-name" }, search.node),
			past &&
				h("span", { key: "outcome", class: "search-outcome" }, `${MARKS[search.outcome]} ${outcomeWords(search)}`),
		),
		(search.pools ?? []).map(({ driver, pool, devices = [], problem = "", message = "" }) => {
			const drawn = [...own, ...shared].find((candidate) => candidate.driver === driver && candidate.pool === pool);
			const listedDevices =
				drawn?.devices.filter((device) => devices.includes(device.name) || problem === "incomplete") ?? [];
			return h(
				"div",
				{ key: `${driver}/${pool}`, class: `search-pool ${problem}` },
				h("small", { class: "pool-name" }, t("devices.pool", { driver, pool })),
				problem && h("p", { class: "pool-problem" }, t(`devices.pool.${problem}`, { message })),
				h(
					"span",
					{ class: "device-row" },
					listedDevices.map((device) =>
						chip(view.state, device, {
							wide: current || few,
							mark: [
								chosen.has(device.id) && "chosen",
								rejected.has(device.id) && "down",
								now.includes(device.id) && "now",
							]
								.filter(Boolean)
								.join(" "),
							sign: chosen.has(device.id) ? "✓" : rejected.has(device.id) ? "✕" : "",
							more: chosen.has(device.id) ? t("device.chosen", { request: chosen.get(device.id) ?? "" }) : "",
						}),
					),
				),
				drawn && counterBars(drawn),
			);
		}),
		!(search.pools ?? []).length && h("p", { key: "none", class: "note" }, t("devices.pool.none")),
	);
}

/**
 * The tries on the node so far, indented by the number of devices chosen before.
 * @param {Searched} event @param {Place} place
 */
function searchLog({ nodes }, place) {
	const search = nodes[place.node];
	if (!search) return h("ol", { key: "log", class: "search-log" });
	let depth = 0;
	const tries = (search.tries ?? []).slice(0, place.tries).map((attempt, i) => {
		if (attempt.kind === "returned") depth = Math.max(0, depth - 1);
		const at = depth;
		if (attempt.kind === "taken") depth += 1;
		const last = i === place.tries - 1 && !place.ended;
		return h(
			"li",
			{
				key: i,
				class: `${attempt.kind} ${last ? "now" : ""}`,
				style: { "--depth": String(at) },
				"aria-current": last ? "step" : null,
			},
			h("em", { "aria-hidden": "true" }, SIGNS[attempt.kind] ?? "✕"),
			h("span", null, tryWords(attempt)),
		);
	});
	return h(
		"ol",
		{ key: "log", class: "search-log", "aria-label": t("devices.log", { node: search.node }) },
		tries,
		place.ended && search.unfinished && h("li", { key: "unfinished", class: "unfinished" }, t("devices.unfinished")),
		place.ended &&
			h(
				"li",
				{ key: "end", class: `end ${search.outcome}` },
				h("em", { "aria-hidden": "true" }, MARKS[search.outcome]),
				h("span", null, outcomeWords(search)),
			),
	);
}
