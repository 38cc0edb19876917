// @ts-check
/** Volumes and claims in words. */

import { t } from "../../shared/i18n.js";
import { cutName, quantity } from "../../shared/units.js";

const LETTERS = 26;
const DOMAIN = /\b(?:topology\.|failure-domain\.beta\.)?kubernetes\.io\/(?=[a-z])/g;

/** @typedef {import("../../trace/trace").Storage} Storage */

/** From which nodes a volume can be used. @param {Storage} volume */
export function reachText({ reach = "" }) {
	return reach ? t("storage.reach", { reach: reach.replace(DOMAIN, "") }) : t("storage.reach.all");
}

/** What a new volume or claim is. @param {Storage} storage */
export function storageWords(storage) {
	const { kind, size = 0, storage_class: of = "", bound = "" } = storage;
	const name = cutName(bound.slice(bound.indexOf("/") + 1), LETTERS);
	return [
		size && quantity("memory", size),
		of && t("storage.class", { name: of }),
		storage.reach && reachText(storage),
		bound && t(`storage.bound.${kind}`, { name }),
	].filter((text) => typeof text === "string");
}
