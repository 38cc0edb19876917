// @ts-check
/** The funnel over the lanes: how many nodes are left after each plugin. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";

const ROOM = 60; // pixels in which two numbers stand
const TEXT = 9; // half the height of a number

/** @typedef {{x: [number, number][], width: number, phone: boolean, head: number}} Geometry columns as [left, width] */

/**
 * @param {Geometry} geometry @param {number[]} left @param {number} whole @param {number} at the current column
 * @returns {Child}
 */
export function funnel({ x, width, phone }, left, whole, at) {
	const mid = phone ? 21 : 29;
	const half = (/** @type {number} */ n) => (n / Math.max(1, whole)) * (phone ? 20 : 28);
	const alive = (/** @type {number} */ i) => (i <= 0 ? whole : left[i - 1]);
	const upto = Math.min(at, x.length - 1);
	if (upto < 0)
		return h("svg", { key: "funnel", class: "funnel", "aria-hidden": "true" }, dashes(0, width, mid, half(whole)));
	/** @type {[number, number][]} */
	const points = [[0, whole]];
	/** @type {Child[]} */
	const wedges = [];
	for (let i = 0; i <= upto; i += 1) {
		const middle = x[i][0] + x[i][1] / 2;
		const reach = Math.min(x[i][1] * 0.44, 34);
		points.push([middle - reach, alive(i)], [middle + reach, alive(i + 1)]);
		if (alive(i) > alive(i + 1)) wedges.push(...wedge(middle, reach, mid, half(alive(i)), half(alive(i + 1)), i));
	}
	const end = x[upto][0] + x[upto][1];
	const thin = half(alive(upto + 1)) < TEXT && end < width - 60; // no room for a number in it
	points.push([end, alive(upto + 1)]);
	const edge = (/** @type {1 | -1} */ side) => points.map(([px, n]) => `${px} ${mid + side * half(n)}`);
	return h(
		"svg",
		{ key: "funnel", class: "funnel", "aria-hidden": "true" },
		wedges,
		h("path", { key: "body", class: "funnel-body", d: `M${edge(-1).join("L")}L${edge(1).reverse().join("L")}Z` }),
		end < width - 8 && dashes(end, width, mid, half(alive(upto + 1))),
		end > ROOM && h("text", { key: "first", class: "funnel-n", x: phone ? 6 : 10, y: mid + 7 }, String(whole)),
		!phone &&
			x
				.slice(0, upto)
				.map(
					([left0, w], i) =>
						alive(i) > alive(i + 1) &&
						half(alive(i + 1)) > TEXT &&
						h(
							"text",
							{ key: `n${i}`, class: "funnel-n", x: left0 + w - 12, y: mid + 7, "text-anchor": "middle" },
							String(alive(i + 1)),
						),
				),
		h(
			"text",
			{
				key: "last",
				class: `funnel-n now ${thin ? "beside" : ""}`,
				x: thin ? end + 5 : end - (phone ? 12 : 24),
				y: mid + 8,
				"text-anchor": thin ? "start" : "middle",
			},
			String(alive(upto + 1)),
		),
		!phone &&
			upto < x.length - 1 &&
			alive(upto + 1) > 0 &&
			h("text", { key: "to", class: "funnel-to", x: width - 14, y: mid + 5, "text-anchor": "end" }, t("lane.toscore")),
	);
}

/** The red part that was cut off. @type {(x: number, reach: number, mid: number, ...more: number[]) => Child[]} */
function wedge(x, reach, mid, from, to, key) {
	return [-1, 1].map((side) =>
		h("path", {
			key: `w${key}${side}`,
			class: "funnel-cut",
			d: `M${x - reach} ${mid + side * from}H${x + reach}V${mid + side * to}Z`,
		}),
	);
}

/** What is still to come. @type {(from: number, to: number, mid: number, half: number) => Child} */
function dashes(from, to, mid, half) {
	return h("path", {
		key: "ahead",
		class: "funnel-ahead",
		d: `M${from} ${mid - half}H${to - 8}M${from} ${mid + half}H${to - 8}`,
	});
}
