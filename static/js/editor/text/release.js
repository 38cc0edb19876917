// @ts-check
/** The Kubernetes release of a scenario's text: `spec.kubernetesVersion` of its Scenario document. */
import { Documents } from "../form/documents.js";
import * as shapes from "../form/shapes.js";

const OURS = /\bkind["']?\s*:\s*["']?Scenario\b/; // the other documents, which may be many, are not parsed
const SEPARATOR = /^---(?=\s|$)[ \t]*\n?/m;

/** The release that the text names; "" when it names none. @param {string} text */
export function releaseOf(text) {
	const own = text.split(SEPARATOR).find((section) => OURS.test(section));
	const version = own && new Documents(own).of("Scenario")[0]?.value.spec?.kubernetesVersion;
	return typeof version === "string" ? version : "";
}

/**
 * The text with another release, "" for none of its own; null when its Scenario document cannot be read.
 * @param {string} text
 * @param {string} version
 */
export function withRelease(text, version) {
	const own = text.split(SEPARATOR).find((section) => OURS.test(section));
	if (own === undefined) return version ? appended(text, version) : text;
	const documents = new Documents(own);
	const ref = documents.of("Scenario")[0];
	if (!ref || !documents.valid) return null;
	documents.set(ref, ["spec", "kubernetesVersion"], version);
	const changed = documents.toString();
	return text.replace(own, () => changed);
}

/** @param {string} text @param {string} version */
function appended(text, version) {
	const documents = new Documents("");
	documents.add(shapes.scenario());
	documents.set(documents.of("Scenario")[0], ["spec", "kubernetesVersion"], version);
	const before = text.trimEnd();
	return `${before}${before ? "\n---\n" : ""}${documents}`;
}
