// @ts-check
/** Requests to the server about an attempt. Questions are sent one by one; a newer one replaces the one that waits. */

import { isTemporary, post, request } from "../shared/server.js";

/** @typedef {import("./edits.js").Edit} Edit */
/** @typedef {{node: string, nominated: string, victims: string[], message: string, feasible: number}} Side */
/**
 * @typedef {{node: string, before: string, after: string, total_before?: number | null, total_after?: number | null,
 *   scores?: [string, number | null, number | null][]}} NodeChange
 */
/**
 * @typedef {{pod: string, before: Side, after: Side, gained: NodeChange[], lost: NodeChange[], moved: NodeChange[],
 *   counts: [number, number, number], more?: [string[], string[]]}} Judgement
 */
/**
 * @typedef {{words: string, node: string, edits: Edit[], victims: string[], size: number, untrue: string[]}} Change
 */
/** @typedef {{plugin: string, before: number, after: number | null, profile: string}} WeightChange */

export class Questions {
	/** @param {string} api @param {string} run @param {() => void} answered */
	constructor(api, run, answered) {
		this.base = `${api}/runs/${run}/attempts/`;
		this.answered = answered;
		this.attempt = 0;
		/**
		 * @type {Map<string, {message: string, again: (() => void) | null}>} the failed requests by what they are for;
		 *   `again` repeats one, null if that would not help
		 */
		this.failures = new Map();
		/** @type {number | null} requests that come before this one */
		this.ahead = null;
		this.busy = false;
		/** @type {import("./panel.js").About | null} */
		this.about = null;
		/** @type {Judgement | null} */
		this.answer = null;
		/** @type {Edit[]} the edits that the answer is about */
		this.judged = [];
		/** @type {Edit[] | null} */
		this.wanted = null;
		/** @type {{done: number, pieces: number, changes: Change[], missing: string[], going: boolean} | null} */
		this.changes = null;
		/** @type {WeightChange[] | null} */
		this.weights = null;
		/** @type {{url: string, id: string, version: number} | null} */
		this.kept = null;
		this.searching = new AbortController();
	}

	/** Starts with another attempt, or requests facts again that could not be loaded. @param {number} attempt */
	setAttempt(attempt) {
		if (attempt === this.attempt) {
			if (this.failures.get("facts")?.again) this.retry();
			return;
		}
		this.stop();
		this.failures.clear();
		Object.assign(this, { attempt, about: null, answer: null, judged: [], wanted: null });
		Object.assign(this, { changes: null, weights: null, kept: null });
		if (attempt) void this.loadFacts(attempt);
	}

	/**
	 * Sends a request, and reports how many come before it.
	 * @param {string} path @param {object} [body] @param {AbortSignal} [signal]
	 */
	async send(path, body, signal) {
		/** @type {import("../shared/server.js").CallOptions} */
		const options = {
			signal,
			onWait: ({ ahead }) => {
				this.ahead = ahead;
				this.answered();
			},
		};
		try {
			const url = this.base + path;
			return await (body ? post(url, body, options) : request(url, {}, options));
		} finally {
			this.ahead = null;
		}
	}

	/** Why the last failed request failed; "" if none did. */
	get problem() {
		return [...this.failures.values()].at(-1)?.message ?? "";
	}

	/** Whether it may help to repeat a failed request. */
	get mayRetry() {
		return [...this.failures.values()].some(({ again }) => again);
	}

	/** Repeats the failed requests. */
	retry() {
		const failures = [...this.failures.values()];
		this.failures.clear();
		for (const { again } of failures) again?.();
		this.answered();
	}

	/**
	 * The body of a reply; null if the request failed, and the problem is shown until it succeeds.
	 * @param {string} purpose @param {import("../shared/server.js").Reply} reply @param {() => void} again
	 */
	bodyOf(purpose, { status, body }, again) {
		this.failures.delete(purpose);
		if (!body.errors) return body;
		this.failures.set(purpose, { message: body.errors[0].message, again: isTemporary(status) ? again : null });
		return null;
	}

	/** Ends the search that is under way. */
	stop() {
		this.searching.abort();
		this.searching = new AbortController();
	}

	/** Fetches the facts about an attempt, and then asks the question again. @param {number} attempt */
	async loadFacts(attempt) {
		const reply = await this.send(String(attempt));
		if (attempt !== this.attempt) return;
		this.about = this.bodyOf("facts", reply, () => void this.loadFacts(attempt));
		if (this.about) this.judge(this.wanted ?? this.judged);
		this.answered();
	}

	/**
	 * Evaluates the attempt with these edits; while a request is in progress, only the newest one waits.
	 * @param {Edit[]} edits
	 */
	judge(edits) {
		this.wanted = edits;
		this.kept = null;
		this.failures.delete("keep");
		if (!this.busy && this.attempt) void this.sendQuestions();
	}

	/** Sends the question until the server has answered its newest edits. */
	async sendQuestions() {
		this.busy = true;
		try {
			while (this.wanted) {
				const [edits, attempt] = [this.wanted, this.attempt];
				this.wanted = null;
				const reply = await this.send(`${attempt}/what-if`, { edits });
				if (attempt !== this.attempt) continue;
				const answer = this.bodyOf("question", reply, () => this.judge(edits));
				if (answer) {
					Object.assign(this, { answer, judged: edits });
					for (const [purpose, { again }] of this.failures) if (!again) this.failures.delete(purpose);
				}
				if (!this.wanted) this.answered();
			}
		} finally {
			this.busy = false;
			this.answered();
		}
	}

	/** Searches for the smallest changes, piece by piece, unless a search goes on or is complete. */
	async search() {
		if (this.changes && (this.changes.going || this.changes.done >= this.changes.pieces)) return;
		const [{ signal }, { attempt }] = [this.searching, this];
		this.changes = { done: 0, pieces: 1, changes: [], missing: [], ...this.changes, going: true };
		this.answered();
		try {
			for (;;) {
				const reply = await this.send(`${attempt}/changes`, undefined, signal);
				if (attempt !== this.attempt) return;
				const body = this.bodyOf("changes", reply, () => void this.search());
				if (body) this.changes = { ...body, going: body.done < body.pieces };
				if (!body || body.done >= body.pieces) break;
				this.answered();
			}
		} catch {
			// cancelled
		}
		if (this.changes) this.changes = { ...this.changes, going: false };
		this.answered();
	}

	/** Requests the weights that would make a node win. @param {string} node */
	async loadWeights(node) {
		const { attempt } = this;
		this.weights = null;
		const reply = await this.send(`${attempt}/weights?node=${encodeURIComponent(node)}`);
		if (attempt !== this.attempt) return;
		this.weights = this.bodyOf("weights", reply, () => void this.loadWeights(node));
		this.answered();
	}

	/** Stores the question's edits as a fork of the scenario. @param {Edit[]} edits */
	async keep(edits) {
		const { attempt } = this;
		const reply = await this.send(`${attempt}/keep`, { edits });
		if (attempt !== this.attempt) return;
		this.kept = this.bodyOf("keep", reply, () => void this.keep(edits));
		this.answered();
	}
}
