// @ts-check
/** What is said of a run that is not (yet) there. */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { count } from "../shared/units.js";

/**
 * Bars over the page: still streaming, failed, cancelled, connection lost.
 * @param {Element} target
 * @param {View} view
 */
export function drawNotices(target, view) {
	const { run, store } = view;
	const lost = run.connection === "lost";
	const running = !store.complete && (run.state === "running" || run.state === "queued");
	const share = run.steps ? Math.min(1, store.steps / run.steps) : 0;
	patch(target, [
		lost && h("p", { key: "lost", class: "notice warn" }, t("run.lost")),
		run.connection === "closed" &&
			!store.complete &&
			h("p", { key: "closed", class: "notice bad" }, run.message || t("run.closed")),
		running &&
			!lost &&
			h(
				"p",
				{ key: "running", class: "notice" },
				t(run.state === "queued" && !store.steps ? "run.queued" : "run.running", { n: count(store.steps) }),
				h(
					"progress",
					share
						? { value: String(share), max: "1", "aria-label": t("run.streaming") }
						: { "aria-label": t("run.streaming") },
				),
			),
		run.state === "failed" &&
			h("p", { key: "failed", class: "notice bad" }, t("run.failed"), run.message ? ` ${run.message}` : ""),
		run.state === "cancelled" && h("p", { key: "cancelled", class: "notice warn" }, t("run.cancelled")),
		view.player.hit && h("p", { key: "hit", class: "notice" }, t("breakpoints.hit")),
	]);
}
