// @ts-check
/** A timeline with no room for marks: how many attempts of which outcome, per few pixels. */

import { h } from "../../shared/dom.js";

/** @param {View} view @param {Timeline} line @param {number} width */
export function bars(view, line, width) {
	const size = 5;
	/** @type {{good: number, bad: number}[]} what is not told yet counts as good: both are grey then */
	const buckets = Array.from({ length: Math.ceil(width / size) }, () => ({ good: 0, bad: 0 }));
	for (const { i, column } of line.visible(view.index)) {
		if (column.kind !== "attempt") continue;
		const bucket = buckets[Math.floor(line.x(view.index.edges[i] + 0.5, view.index, width) / size)];
		if (bucket)
			bucket[column.outcome === "Scheduled" || !column.outcome || column.end > view.reach ? "good" : "bad"] += 1;
	}
	const most = Math.max(1, ...buckets.map((one) => one.good + one.bad));
	const path = (/** @type {(b: {good: number, bad: number}) => [number, number]} */ of) =>
		buckets
			.map((one, i) => {
				const [low, high] = of(one);
				const [from, to] = [low, high].map((n) => 44 - (n / most) * 26);
				return high > low ? `M${i * size} ${from}V${to}H${i * size + size - 1}V${from}Z` : "";
			})
			.join("");
	return h(
		"svg",
		{ key: "bars", class: "mark-bars", "aria-hidden": "true" },
		h("path", { class: "bar-good", d: path((one) => [0, one.good]) }),
		h("path", { class: "bar-bad", d: path((one) => [one.good, one.good + one.bad]) }),
	);
}
