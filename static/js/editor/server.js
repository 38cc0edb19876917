// @ts-check
/**
 * Calls to this site's own API. A refusal is an answer too: `errors` says what, where and what was expected. `fix`: the
 * JSON that stands there, and the JSON of what may be meant.
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
	const json = (answer.headers.get("content-type") ?? "").includes("json");
	return {
		status: answer.status,
		body: json ? await answer.json() : { errors: [{ message: `${answer.status} ${answer.statusText}` }] },
	};
}

/** @param {string} url */
export async function get(url) {
	const answer = await fetch(url);
	if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
	return answer.json();
}
