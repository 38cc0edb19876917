// @ts-check
/**
 * Calls to this site's own API. A refused request has `errors` with the reason, the place and the expected value, or at
 * least a sentence. `fix`: the JSON in the text, and the JSON of a probable correction.
 *
 * Status 202 means that the request waits: the server reports how many come before, and keeps its place if it is
 * repeated; or it answers a large request later, at another address. For callers, both are one slow answer.
 *
 * A request rejects only if its signal aborts. If the server cannot be reached, the status is 0, and `errors` has the
 * page's sentence for this.
 */

import { t } from "./i18n.js";

const WAIT = "wait=2"; // seconds in which the server answers, or reports the place
const ASKED_AGAIN = 500; // ms
const RETRY_PAUSE = 2000; // ms, while the server cannot be reached, since it may be restarting
const UNREACHED = 90; // times, before an error is shown
/** The time in ms for which modules that keep replies show an error before they request it again. */
export const ERROR_KEPT = 5000;

/**
 * @typedef {{message: string, document?: number, line?: number, column?: number, path?: string, fix?: {value?: string,
 *   instead?: string}}} Problem
 */
/** @typedef {{ahead: number | null, part: number}} Waiting requests ahead, null once it runs; progress, 0 to 1 */
/** @typedef {{status: number, body: any}} Reply */
/** @typedef {{errors: Problem[], warnings: Problem[], summary: {nodes: any[], pods: any[]}}} Checked a checked text */
/**
 * @typedef {object} CallOptions
 * @property {(waiting: Waiting) => void} [onWait]
 * @property {(upload: string) => void} [onAccepted] gets the id of a large request before its response
 * @property {AbortSignal} [signal] an abort cancels it
 */

/**
 * Sends a POST request with a JSON body.
 * @param {string} url
 * @param {object} body
 * @param {CallOptions} [options]
 * @returns {Promise<Reply>}
 */
export function post(url, body, options = {}) {
	return send(url, "application/json", JSON.stringify(body), options);
}

/**
 * Sends a POST request with a body of any type.
 * @param {string} url
 * @param {string} type
 * @param {BodyInit} body
 * @param {CallOptions} [options]
 */
export function send(url, type, body, options = {}) {
	return request(url, { method: "POST", headers: { "Content-Type": type, ...csrfHeader() }, body }, options);
}

/**
 * Sends a request; if the server accepts it for later, waits for the result.
 * @param {string} url
 * @param {{method?: string, headers?: Record<string, string>, body?: BodyInit}} [init] as for `fetch`
 * @param {CallOptions} [options]
 * @returns {Promise<Reply>}
 */
export async function request(url, init = {}, options = {}) {
	const { onWait = () => {}, onAccepted = () => {}, signal } = options;
	for (;;) {
		const reply = await reach(url, { ...init, headers: { Prefer: WAIT, ...init.headers }, signal });
		const { body, later } = reply;
		if (reply.status !== 202) return reply;
		if (later) {
			onAccepted(later.split("/").pop() ?? "");
			return pollForReply(later, options);
		}
		onWait({ ahead: body.ahead.others, part: 0 });
		await pause(ASKED_AGAIN, signal);
	}
}

/**
 * Asks for the response to a large request until it is there, even if the server restarts in the meantime: only after
 * UNREACHED tries in a row without a usable answer is the last of them returned (status 0, 429 or 5xx). The status is
 * 422 if the request failed or was cancelled. If the signal aborts, the server is told to cancel the request.
 * @param {string} url
 * @param {CallOptions} [options]
 * @returns {Promise<Reply>}
 */
export async function pollForReply(url, { onWait = () => {}, signal } = {}) {
	try {
		for (let unreached = 0; ; ) {
			const { status, body } = await reach(url, { signal });
			if (isTemporary(status)) {
				unreached += 1;
				if (unreached > UNREACHED) return { status, body };
				await pause(RETRY_PAUSE, signal);
				continue;
			}
			unreached = 0;
			if (status !== 200) return { status, body };
			if (body.answer) {
				const { status: ended, body: result } = await reach(body.answer, { signal });
				if (ended && ended !== 503) return { status: ended, body: result };
			} else if (body.state === "failed" || body.state === "cancelled")
				return { status: 422, body: { errors: [{ message: body.error }] } };
			else onWait({ ahead: body.ahead?.others ?? null, part: body.progress });
			await pause(ASKED_AGAIN, signal);
		}
	} catch (error) {
		if (signal?.aborted) void fetch(url, { method: "DELETE", headers: csrfHeader() }).catch(() => {});
		throw error;
	}
}

/**
 * Sends one request, and returns the reply and its `Location`; the status is 0 if the server cannot be reached. Rejects
 * if the signal aborts.
 * @param {string} url @param {RequestInit} init @returns {Promise<Reply & {later?: string | null}>}
 */
async function reach(url, init) {
	try {
		const answer = await fetch(url, init);
		return { ...(await read(answer)), later: answer.headers.get("Location") };
	} catch (error) {
		if (init.signal?.aborted) throw error;
		return { status: 0, body: { errors: [{ message: t("unreachable") }] } };
	}
}

/** Whether the same request may succeed later: the server is unreachable, busy or failed. @param {number} status */
export function isTemporary(status) {
	return status === 0 || status === 429 || status >= 500;
}

/** Waits; rejects if the signal aborts. @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} */
function pause(ms, signal) {
	return new Promise((resolve, reject) => {
		const cancel = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener("abort", cancel);
			resolve();
		}, ms);
		if (signal?.aborted) cancel();
		else signal?.addEventListener("abort", cancel, { once: true });
	});
}

/** The header with the page's CSRF token. @returns {Record<string, string>} */
function csrfHeader() {
	const token = /** @type {HTMLInputElement | null} */ (document.querySelector("input[name=csrfmiddlewaretoken]"));
	return { "X-CSRFToken": token?.value ?? "" };
}

/**
 * The status and the body of a response; an error has a body with `errors`.
 * @param {Response} answer
 * @returns {Promise<Reply>}
 */
export async function read(answer) {
	const json = answer.status !== 204 && (answer.headers.get("content-type") ?? "").includes("json");
	const content = json ? await answer.json() : { detail: `${answer.status} ${answer.statusText}` };
	const body = answer.ok ? content : { ...content, errors: content.errors ?? [{ message: content.detail }] };
	return { status: answer.status, body };
}

/** The JSON at a URL; throws on any status other than success. @param {string} url */
export async function get(url) {
	const answer = await fetch(url);
	if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
	return answer.json();
}
