// @ts-check
/**
 * Calls to this site's own API. A refusal is an answer too: its `errors` say what, where and what was expected, or at
 * least one sentence. `fix`: the JSON that stands there, and the JSON of what may be meant.
 */

/**
 * @typedef {{message: string, document?: number, line?: number, column?: number, path?: string, fix?: {value?: string,
 *   instead?: string}}} Problem
 */

/**
 * @param {string} url
 * @param {object} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<{status: number, body: any}>}
 */
export async function post(url, body, signal) {
	const token =
		/** @type {HTMLInputElement | null} */ (document.querySelector("input[name=csrfmiddlewaretoken]"))?.value ?? "";
	const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
	const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal });
	return read(answer);
}

/**
 * @param {Response} answer
 * @returns {Promise<{status: number, body: any}>}
 */
export async function read(answer) {
	const json = (answer.headers.get("content-type") ?? "").includes("json");
	const found = json ? await answer.json() : { detail: `${answer.status} ${answer.statusText}` };
	const body = answer.ok ? found : { ...found, errors: found.errors ?? [{ message: found.detail }] };
	return { status: answer.status, body };
}

/** @param {string} url */
export async function get(url) {
	const answer = await fetch(url);
	if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
	return answer.json();
}
