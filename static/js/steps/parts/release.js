// @ts-check
/** The Kubernetes release that decides in a run, for what is said about it. */

import { has } from "../../shared/i18n.js";

const SOURCE = "https://github.com/kubernetes/kubernetes/tree/release-";

/**
 * Where the release's own plugins stand in Go.
 * @param {string} version "1.34"
 */
export function pluginSource(version) {
	return `${SOURCE}${version}/pkg/scheduler/framework/plugins/`;
}

/**
 * The catalogue's words for what a release does: `key.before.1.36` holds for all releases before 1.36.
 * @param {string} key
 * @param {string} version
 */
export function wordsOf(key, version) {
	const minor = Number(version.split(".")[1]);
	for (let newer = minor + 1; newer < 100; newer++) {
		if (has(`${key}.before.1.${newer}`)) return `${key}.before.1.${newer}`;
	}
	return key;
}
