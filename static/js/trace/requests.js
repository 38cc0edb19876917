// @ts-check
/** What is asked of the API, once each: objects as written (`kubectl get -o yaml`), and explanations. */

const MOST_NODES = 40; // asked for at once; more only when somebody points at one
const MOST_KEPT = 8000;

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

/** @param {import("./explainer.js").Explainer} explainer @param {number} attempt */
export async function ask(explainer, attempt) {
	const nodes = [...explainer.wanted.nodes].slice(0, MOST_NODES);
	if (!nodes.length) return; // none named is all
	if (explainer.known.size > MOST_KEPT) explainer.known.clear();
	explainer.wanted.nodes.clear();
	explainer.set(attempt, nodes, "asked");
	explainer.abort = new AbortController();
	try {
		const answer = await fetch(`${explainer.base}${attempt}?nodes=${nodes.map(encodeURIComponent).join(",")}`, {
			signal: explainer.abort.signal,
		});
		if (!answer.ok) throw new Error(String(answer.status));
		const found = await answer.json();
		explainer.set(attempt, nodes, "failed");
		for (const one of found.nodes) explainer.known.set(`${attempt} ${one.node}`, one);
	} catch (error) {
		if (error instanceof DOMException && error.name === "AbortError") return explainer.set(attempt, nodes, null);
		explainer.set(attempt, nodes, "failed");
	}
	explainer.arrived();
}
