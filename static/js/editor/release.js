// @ts-check
/** The Kubernetes release of a scenario's text: `spec.kubernetesVersion` of its Scenario document. */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { Documents } from "./form/documents.js";
import * as shapes from "./form/shapes.js";

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
	if (own === undefined) return version ? appendRelease(text, version) : text;
	const documents = new Documents(own);
	const ref = documents.of("Scenario")[0];
	if (!ref || !documents.valid) return null;
	documents.set(ref, ["spec", "kubernetesVersion"], version);
	const changed = documents.toString();
	return text.replace(own, () => changed);
}

/** The text with a new Scenario document that names a release. @param {string} text @param {string} version */
function appendRelease(text, version) {
	const documents = new Documents("");
	documents.add(shapes.scenario());
	documents.set(documents.of("Scenario")[0], ["spec", "kubernetesVersion"], version);
	const before = text.trimEnd();
	return `${before}${before ? "\n---\n" : ""}${documents}`;
}

/** @typedef {{version: string, default: boolean, fields: string[], plugins: string[], gates: string[]}} Release */

/**
 * Connects the choice of a Kubernetes release with the text of the editor.
 * @param {{choice: HTMLSelectElement, note: HTMLElement}} elements
 * @param {Release[]} releases newest first
 * @param {{read: () => string, write: (text: string) => void, say: (sentence: string) => void}} text
 * @returns {() => void} a function that shows the text's release
 */
export function releaseControl({ choice, note }, releases, text) {
	const show = () => {
		const version = releaseOf(text.read());
		const release = releases.find((entry) => (version ? entry.version === version : entry.default));
		choice.value = version && release ? version : "";
		patch(note, [release && !release.default ? missingFeatures(release) : null]);
	};
	choice.addEventListener("change", () => {
		const changed = withRelease(text.read(), choice.value);
		if (changed === null) text.say(t("release.unreadable"));
		else text.write(changed);
		show();
	});
	return show;
}

/** The list of the fields, plugins and feature gates that a release does not have. @param {Release} release */
function missingFeatures({ version, fields, plugins, gates }) {
	/** @type {[string, string[]][]} */
	const all = [
		[t("release.fields"), fields],
		[t("release.plugins"), plugins],
		[t("release.gates"), gates],
	];
	const rows = all.filter(([, names]) => names.length);
	const more = h("a", { href: `/releases/?from=${version}` }, t("release.changes"));
	if (!rows.length) return h("p", { class: "small muted" }, t("release.lacksNothing", { version }), " ", more);
	const list = rows.flatMap(([label, names]) => [
		h("dt", null, label),
		h("dd", null, ...names.map((name) => h("code", null, name))),
	]);
	const count = fields.length + plugins.length + gates.length;
	return h(
		"details",
		{ class: "lacks small" },
		h("summary", null, t("release.lacks", { version, n: count })),
		h("dl", null, ...list),
		more,
	);
}
