// @ts-check
/** Requests to the server about an attempt, one at a time; a newer one replaces those that wait. */

import { post, request } from "../shared/server.js";

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
		this.problem = "";
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

	/** Starts with another attempt. @param {number} attempt */
	setAttempt(attempt) {
		if (attempt === this.attempt) return;
		this.stop();
		Object.assign(this, { attempt, about: null, answer: null, changes: null, weights: null, kept: null, problem: "" });
		if (attempt) void this.loadFacts(attempt);
	}

	/**
	 * Sends a request, and reports how many come before it.
	 * @param {string} what @param {object} [body] @param {AbortSignal} [signal]
	 */
	async send(what, body, signal) {
		/** @type {import("../shared/server.js").CallOptions} */
		const options = {
			signal,
			onWait: ({ ahead }) => {
				this.ahead = ahead;
				this.answered();
			},
		};
		try {
			const url = this.base + what;
			return await (body ? post(url, body, options) : request(url, {}, options));
		} finally {
			this.ahead = null;
		}
	}

	/** Ends the search that is under way. */
	stop() {
		this.searching.abort();
		this.searching = new AbortController();
	}

	/** Fetches the facts about an attempt, and then asks the question again. @param {number} attempt */
	async loadFacts(attempt) {
		const { status, body } = await this.send(String(attempt));
		if (attempt !== this.attempt) return;
		if (status === 200) this.about = body;
		else this.problem = body.errors[0].message;
		if (status === 200) this.judge(this.judged);
		this.answered();
	}

	/**
	 * Evaluates the attempt with these edits; while a request is in progress, only the newest one waits.
	 * @param {Edit[]} edits
	 */
	judge(edits) {
		this.wanted = edits;
		this.kept = null;
		if (!this.busy && this.attempt) void this.sendQuestions();
	}

	/** Sends the question until the server has answered its newest edits. */
	async sendQuestions() {
		this.busy = true;
		try {
			while (this.wanted) {
				const [edits, attempt] = [this.wanted, this.attempt];
				this.wanted = null;
				const { status, body } = await this.send(`${attempt}/what-if`, { edits });
				if (attempt !== this.attempt) continue;
				this.problem = status === 200 ? "" : body.errors[0].message;
				if (status === 200) Object.assign(this, { answer: body, judged: edits });
				if (!this.wanted) this.answered();
			}
		} catch {
			this.problem = "";
		} finally {
			this.busy = false;
			this.answered();
		}
	}

	/** Searches for the smallest changes, piece by piece. */
	async search() {
		if (this.changes && (this.changes.going || this.changes.done >= this.changes.pieces)) return;
		const [{ signal }, { attempt }] = [this.searching, this];
		this.changes = { done: 0, pieces: 1, changes: [], missing: [], ...this.changes, going: true };
		this.answered();
		try {
			for (;;) {
				const { status, body } = await this.send(`${attempt}/changes`, undefined, signal);
				if (attempt !== this.attempt) return;
				if (status !== 200) this.problem = body.errors[0].message;
				else this.changes = { ...body, going: body.done < body.pieces };
				if (status !== 200 || body.done >= body.pieces) break;
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
		const { status, body } = await this.send(`${attempt}/weights?node=${encodeURIComponent(node)}`);
		if (attempt !== this.attempt) return;
		if (status === 200) this.weights = body;
		else this.problem = body.errors[0].message;
		this.answered();
	}

	/** Stores the question's edits as a fork of the scenario. @param {Edit[]} edits */
	async keep(edits) {
		const { status, body } = await this.send(`${this.attempt}/keep`, { edits });
		if (status === 201) this.kept = body;
		else this.problem = body.errors[0].message;
		this.answered();
	}
}
