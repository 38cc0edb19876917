// @ts-check
/** "What will happen": runs the current text and lists its attempts, with links to the player. */
import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { Feed } from "../../trace/feed.js";
import { Ending } from "./ending.js";

/** @typedef {{attempt: number, step: number, pod: string, mark: string, text: string, why: string}} Line */

const SHOWN = 40;
const ENDED = new Set(["failed", "cancelled"]);

export class Outcome {
	/** @param {string} socket the websocket's address @param {() => void} changed */
	constructor(socket, changed) {
		this.socket = socket;
		this.changed = changed;
		/** @type {Line[]} */
		this.lines = [];
		this.victims = this.pending = this.time = 0;
		this.state = "none";
		this.message = this.run = "";
		this.ending = new Ending();
		/** @type {Feed | undefined} */
		this.feed = undefined;
	}

	/** Forgets the last run. */
	clear() {
		if (this.feed) this.feed.done = true; // it is not opened again
		this.feed?.socket?.close();
		this.lines = [];
		this.victims = 0;
		this.pending = 0;
		this.state = "none";
		this.message = "";
		this.run = "";
		this.time = 0;
		this.ending = new Ending();
	}

	/** Whether the whole run is loaded. */
	get complete() {
		return this.state === "done" && Boolean(this.ending.state?.finished);
	}

	/** Shows a run while it goes on. @param {string} run */
	follow(run) {
		this.clear();
		this.state = "running";
		this.run = run;
		this.feed = new Feed(this.socket, run, 0);
		this.feed.listen({
			chunk: (chunk) => this.ending.take(chunk, (event, step) => this.takeEvent(event, step)),
			message: (message) => {
				if (message.type === "error") this.message = message.message;
				if (message.type === "end" || message.type === "error" || ENDED.has(message.state)) this.state = "done";
				if (message.state === "failed") this.message = message.error || t("editor.outcome.failed");
				if (message.state === "cancelled") this.message = t("editor.outcome.stopped");
				this.changed();
			},
			connection: () => this.changed(),
		});
		this.feed.open();
	}

	/** Adds what an event says about the attempt, or about the run. @param {any} event @param {number} step */
	takeEvent(event, step) {
		const line = this.lines.at(-1);
		if (event.type === "CycleStarted")
			this.lines.push({ attempt: event.attempt, step, pod: name(event.pod), mark: "·", text: "", why: "" });
		else if (event.type === "ClockAdvanced") this.time = event.time;
		else if (event.type === "RunFinished") this.pending = event.pending.length;
		else if (event.type === "VictimEvicted") this.victims += 1;
		if (!line) return;
		if (event.type === "PreemptionEvaluated" && event.nominated_node) {
			Object.assign(line, {
				mark: "↓",
				step,
				text: t("editor.nominated", {
					pod: line.pod,
					victims: event.victims.map(name).join(", "),
					node: event.nominated_node,
				}),
			});
		} else if (event.type === "SchedulingFailed") {
			if (!line.text) Object.assign(line, { mark: "✕", step, text: t("editor.failed", { pod: line.pod }) });
			line.why = event.message;
		} else if (event.type === "PodBound" && name(event.pod) === line.pod) {
			Object.assign(line, { mark: "✓", step, text: t("editor.bound", { pod: line.pod, node: event.node }) });
		}
	}

	/**
	 * The card with the outcome of the run.
	 * @param {(step: number) => void} open
	 * @param {() => void} stop
	 * @param {boolean} outdated the text has changed since
	 */
	view(open, stop, outdated) {
		const head = h("h2", null, t("editor.outcome"));
		if (this.state === "none")
			return h("div", { class: "card outcome" }, head, h("p", { class: "muted" }, t("editor.outcome.empty")));
		const running = this.state === "running";
		const summary = running
			? t("editor.outcome.running", { n: this.lines.length, time: Math.round(this.time * 10) / 10 })
			: [
					t("editor.attempts", { n: this.lines.length }),
					t("editor.evicted", { n: this.victims }),
					t("editor.pending", { n: this.pending }),
				].join(" · ");
		return h(
			"div",
			{ class: "card outcome" },
			head,
			h("p", { class: "muted", role: "status" }, this.message || summary),
			outdated ? h("p", { class: "stale" }, t("editor.outdated")) : null,
			running
				? h(
						"div",
						{ class: "running" },
						h("progress", { "aria-label": t("editor.outcome") }),
						button(stop, { class: "button plain" }, t("editor.stop")),
					)
				: null,
			h(
				"ol",
				null,
				...this.lines
					.filter((line) => line.text)
					.slice(0, SHOWN)
					.map((line) =>
						h(
							"li",
							{ key: String(line.attempt) },
							button(
								() => open(line.step),
								null,
								h("span", { class: `mark ${line.mark === "✕" ? "no" : "yes"}`, "aria-hidden": "true" }, line.mark),
								h("span", null, h("b", null, line.text), line.why ? h("small", null, line.why) : null),
								h("span", { class: "muted small" }, t("editor.attempt", { n: line.attempt })),
							),
						),
					),
			),
		);
	}
}

/** A pod's name, with its namespace unless that is "default". @param {string} key */
const name = (key) => key.replace(/^default\//, "");
