// @ts-check
/** Objects as written, `kubectl get -o yaml`: fetched once each. */

/** @type {Map<string, string>} */
const known = new Map();

/**
 * The manifest, or "…" until it has come; `arrived` is called then.
 * @param {string} api @param {string} run @param {"pod" | "node"} kind @param {string} namespace @param {string} name
 *   @param {() => void} arrived
 */
export function manifest(api, run, kind, namespace, name, arrived) {
	const url = `${api}/runs/${run}/objects/${kind}/${namespace}/${encodeURIComponent(name)}`;
	const found = known.get(url);
	if (found !== undefined) return found;
	known.set(url, "…");
	fetch(url)
		.then(async (answer) => (answer.ok ? (await answer.json()).yaml : `# ${answer.status}`))
		.catch(() => "# ?")
		.then((text) => {
			known.set(url, text);
			arrived();
		});
	return "…";
}
