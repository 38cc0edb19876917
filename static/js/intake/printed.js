// @ts-check
/**
 * Texts of clusters, as `importers/reading/raw_text.py` knows them: by what only an API server writes, and
 * nobody into a scenario.
 */

const FIELD = /(?:^|[\s{,-])["']?(?:managedFields|resourceVersion|selfLink)["']?\s*:|last-applied-configuration/;
const KIND = /(?:^|[\s{,-])["']?kind["']?\s*:\s*["']?(?:Secret|ConfigMap)\b/;

const EXPORT = /(?:^|[\s{,])["']?schedulerConfig["']?\s*:/;

/** Is it to be made a scenario first: printed, or an export of kube-scheduler-simulator? @param {string} text */
export function comesIn(text) {
	return wasPrinted(text) || EXPORT.test(text);
}

/** Did a cluster print the text, or does it hold a Secret? @param {string} text */
export function wasPrinted(text) {
	return FIELD.test(text) || KIND.test(text);
}
