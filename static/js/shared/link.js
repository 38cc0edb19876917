// @ts-check
/** Reads and writes the address's fragment: `#<step>[.<frame>][&sel=pod:ns/name|node:name][&by=node]`. */

/** @typedef {{kind: "pod" | "node", name: string}} Selection */
/** @typedef {{step: number | null, frame: number, selection: Selection | null, order: "plugin" | "node"}} Place */

/**
 * The place that a link's fragment names; its step is null if the fragment names none.
 * @param {string} fragment with or without "#" @returns {Place}
 */
export function parseLink(fragment) {
	const [position, ...options] = fragment.replace(/^#/, "").split("&");
	const match = /^(\d+)(?:\.(\d+))?$/.exec(position);
	const parameters = Object.fromEntries(options.map((option) => option.split("=", 2)));
	return {
		step: match ? Number(match[1]) : null,
		frame: match?.[2] ? Number(match[2]) : 0,
		selection: parseSelection(parameters.sel ?? ""),
		order: parameters.by === "node" ? "node" : "plugin",
	};
}

/**
 * Parses an encoded selection such as "pod:default/web"; null if the text is not one.
 * @param {string} text @returns {Selection | null}
 */
function parseSelection(text) {
	try {
		const match = /^(pod|node):(.+)$/.exec(decodeURIComponent(text));
		return match ? { kind: /** @type {"pod" | "node"} */ (match[1]), name: match[2] } : null;
	} catch {
		return null; // a "%" that encodes nothing
	}
}

/** The fragment of a link to a place, with "#". @param {Place} place */
export function formatLink({ step, frame, selection, order }) {
	let out = `#${step ?? 0}${frame ? `.${frame}` : ""}`;
	if (selection) out += `&sel=${selection.kind}:${encodeURI(selection.name)}`;
	return order === "node" ? `${out}&by=node` : out;
}

/** The place in the page's address: in its fragment, or in `?step=`. @param {Location} location @returns {Place} */
export function linkedPlace(location) {
	const place = parseLink(location.hash);
	const step = new URLSearchParams(location.search).get("step");
	if (place.step === null && step !== null && /^\d+(\.\d+)?$/.test(step))
		return { ...place, ...parseLink(step), selection: place.selection };
	return place;
}

/**
 * A link to share. Its query names the step, so that servers can draw it in previews; its fragment names the whole
 * place if something is selected or Filter is shown node by node.
 * @param {URL} page @param {Place} place
 */
export function sharedLink(page, { step, frame, selection, order }) {
	const link = new URL(page);
	link.searchParams.set("step", `${step ?? 0}${frame ? `.${frame}` : ""}`);
	if (selection || order === "node") link.hash = formatLink({ step, frame, selection, order });
	return link.href;
}
