// @ts-check
/** The amber pod's PersistentVolumeClaims, each with the volume that it is bound to, or the place where one is due. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { cutName, quantity } from "../../shared/units.js";
import { storageKey } from "../../trace/fold.js";
import { reachText } from "./storage_words.js";

const LETTERS = 26;

/** @param {View} view @returns {Child[]} a row each */
export function claimRows({ state, hero }) {
	const namespace = hero.slice(0, hero.indexOf("/"));
	const claims = (state.pods.get(hero)?.summary.wishes ?? []).filter((wish) => wish.kind === "claim");
	return claims.slice(0, 2).map(({ value: name }) => {
		const claim = state.storage.get(storageKey({ kind: "PersistentVolumeClaim", namespace, name }));
		const volume = claim?.bound && state.storage.get(storageKey({ kind: "PersistentVolume", name: claim.bound }));
		return h(
			"p",
			{ key: `claim${name}`, class: "claim" },
			h("b", null, t("claim.name", { name })),
			h("span", { class: "claim-what" }, claim ? whatOf(claim) : t("claim.none")),
			claim && h("i", { class: volume ? "tied" : "" }),
			claim && h("b", { class: volume ? "" : "open", title: claim.bound || null }, volumeName(claim.bound)),
			volume && h("span", null, reachText(volume)),
		);
	});
}

/** @param {string | undefined} name */
function volumeName(name) {
	return name ? t("claim.volume", { name: cutName(name, LETTERS) }) : t("claim.unbound");
}

/** @param {import("../../trace/trace").Storage} claim */
function whatOf({ size = 0, storage_class: kind = "" }) {
	return [quantity("memory", size), kind && t("storage.class", { name: kind })].filter(Boolean).join(t("list.comma"));
}
