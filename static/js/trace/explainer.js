// @ts-check
/** The engine's explanations of an attempt: facts and arithmetic per node and plugin, fetched once and kept. */

import { ERROR_KEPT, request } from "../shared/server.js";

const REST_MS = 250;
const PATIENCE_MS = 600;
const MAX_NODES = 40; // in one request
const MAX_KEPT = 8000;

export class Explainer {
	/** @param {string} api @param {string} run @param {() => void} arrived called when the explanations have changed */
	constructor(api, run, arrived) {
		this.base = `${api}/runs/${run}/explain/`;
		this.arrived = arrived;
		/** @type {Map<string, NodeExplanation | "loading" | "failed">} by "attempt node" */
		this.known = new Map();
		this.wanted = { attempt: 0, nodes: /** @type {Set<string>} */ (new Set()) };
		/** @type {AbortController | null} */
		this.abort = null;
		this.timer = 0;
		/** @type {Promise<unknown> | null} the request in progress */
		this.coming = null;
		this.late = ""; // the explanation that did not arrive in time
		/** @type {number | null} other requests that come before the one in progress */
		this.ahead = null;
	}

	/**
	 * The explanation of a node in an attempt; null if it is not loaded.
	 * @param {number} attempt @param {string} node @returns {NodeExplanation | null}
	 */
	node(attempt, node) {
		const explanation = this.known.get(`${attempt} ${node}`);
		return typeof explanation === "object" ? explanation : null;
	}

	/**
	 * The status of an explanation that is not loaded: "loading", "failed", or undefined if it was not requested.
	 * @param {number} attempt @param {string} node
	 */
	status(attempt, node) {
		const cached = this.known.get(`${attempt} ${node}`);
		return typeof cached === "string" ? cached : undefined;
	}

	/**
	 * The number of requests that the server handles before that for a node's explanation; null if it does not wait.
	 * @param {number} attempt @param {string} node
	 */
	requestsAhead(attempt, node) {
		return this.status(attempt, node) === "loading" ? this.ahead : null;
	}

	/**
	 * The explanation of a plugin's Filter on a node; null if it is not loaded, or the plugin did not run.
	 * @param {number} attempt @param {string} node @param {string} plugin
	 */
	filter(attempt, node, plugin) {
		return this.node(attempt, node)?.filters?.find((filter) => filter.plugin === plugin) ?? null;
	}

	/**
	 * The explanation of a plugin's Score on a node; null if it is not loaded, or the plugin did not run.
	 * @param {number} attempt @param {string} node @param {string} plugin
	 */
	score(attempt, node, plugin) {
		return this.node(attempt, node)?.scores?.find((score) => score.plugin === plugin) ?? null;
	}

	/**
	 * Requests missing explanations once the reader has stayed at a step for a moment, since for each request the server
	 * simulates the run up to the attempt. Another attempt replaces the earlier requests.
	 * @param {number} attempt @param {string[]} nodes
	 */
	request(attempt, nodes) {
		if (!attempt) return;
		if (attempt !== this.wanted.attempt) {
			this.abort?.abort();
			this.wanted = { attempt, nodes: new Set() };
		}
		for (const node of nodes) if (!this.known.has(`${attempt} ${node}`)) this.wanted.nodes.add(node);
		if (!this.wanted.nodes.size) return;
		clearTimeout(this.timer);
		this.timer = window.setTimeout(() => this.loadNow(attempt), REST_MS);
	}

	/** Starts to fetch the requested explanations without the pause. @param {number} attempt */
	loadNow(attempt) {
		clearTimeout(this.timer);
		this.coming = this.load(attempt);
	}

	/** Fetches the requested explanations, MAX_NODES at most. @param {number} attempt */
	async load(attempt) {
		const nodes = [...this.wanted.nodes].slice(0, MAX_NODES);
		if (!nodes.length) return; // a request without names is for all nodes
		if (this.known.size > MAX_KEPT) this.known.clear();
		this.wanted.nodes.clear();
		this.setStatus(attempt, nodes, "loading");
		const abort = new AbortController();
		this.abort = abort;
		/** @param {import("../shared/server.js").Waiting} waiting */
		const onWait = ({ ahead }) => {
			this.ahead = ahead;
			this.arrived();
		};
		try {
			const url = `${this.base}${attempt}?nodes=${nodes.map(encodeURIComponent).join(",")}`;
			const { status, body } = await request(url, {}, { signal: abort.signal, onWait });
			if (status !== 200) throw new Error(String(status));
			this.setStatus(attempt, nodes, "failed");
			for (const node of body.nodes) this.known.set(`${attempt} ${node.node}`, node);
		} catch {
			if (abort.signal.aborted) return this.setStatus(attempt, nodes, null);
			this.setStatus(attempt, nodes, "failed");
			setTimeout(() => this.setStatus(attempt, nodes, null), ERROR_KEPT);
		} finally {
			if (this.abort === abort) this.ahead = null;
		}
		this.arrived();
	}

	/**
	 * Waits for the explanation of a node, at most PATIENCE_MS. Null if it is loaded, failed, or did not arrive in that
	 * time before.
	 * @param {number} attempt @param {string} node
	 */
	waitFor(attempt, node) {
		const key = `${attempt} ${node}`;
		const status = this.known.get(key);
		if (this.late === key || (status && status !== "loading")) return null;
		if (!status) {
			this.request(attempt, [node]);
			this.loadNow(attempt);
		}
		const enough = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS)).then(() => {
			this.late = key;
		});
		return Promise.race([this.coming, enough]);
	}

	/**
	 * Sets the status of the explanations of nodes; null removes it.
	 * @param {number} attempt @param {string[]} nodes @param {"loading" | "failed" | null} status
	 */
	setStatus(attempt, nodes, status) {
		for (const node of nodes) {
			if (status) this.known.set(`${attempt} ${node}`, status);
			else this.known.delete(`${attempt} ${node}`);
		}
	}
}
