// @ts-check
/** The Kubernetes release as a control: it changes the text, follows it, and tells what the release does not have. */
import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { releaseOf, withRelease } from "./text/release.js";

/** @typedef {{version: string, default: boolean, fields: string[], plugins: string[], gates: string[]}} Release */

/**
 * @param {{choice: HTMLSelectElement, note: HTMLElement}} elements
 * @param {Release[]} releases newest first
 * @param {{read: () => string, write: (text: string) => void, say: (sentence: string) => void}} text
 * @returns {() => void} shows the release of the text as it is now
 */
export function releaseControl({ choice, note }, releases, text) {
	const show = () => {
		const version = releaseOf(text.read());
		const known = releases.find((one) => (version ? one.version === version : one.default));
		choice.value = version && known ? version : "";
		patch(note, [known && !known.default ? lacks(known) : null]);
	};
	choice.addEventListener("change", () => {
		const changed = withRelease(text.read(), choice.value);
		if (changed === null) text.say(t("release.unreadable"));
		else text.write(changed);
		show();
	});
	return show;
}

/** @param {Release} release */
function lacks({ version, fields, plugins, gates }) {
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
