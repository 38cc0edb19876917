// @ts-check
/**
 * Texts of clusters, as `importers/reading/raw_text.py` knows them: by what only an API server writes, and
 * nobody into a scenario.
 */

const FIELD = /(?:^|[\s{,-])["']?(?:managedFields|resourceVersion|selfLink)["']?\s*:|last-applied-configuration/;
const KIND = /(?:^|[\s{,-])["']?kind["']?\s*:\s*["']?(?:Secret|ConfigMap)\b/;

// What kubectl prints for people, at its beginning.
const FOR_PEOPLE = /^(?:Name: {2,}\S|(?:NAMESPACE {2,})?(?:NAME|LAST SEEN) {2,}[A-Z])/m;
const EXPORT = /(?:^|[\s{,])["']?schedulerConfig["']?\s*:/;

/** Is it to be made a scenario first: printed, for people too, or kube-scheduler-simulator's? @param {string} text */
export function comesIn(text) {
	return wasPrinted(text) || EXPORT.test(text) || FOR_PEOPLE.test(text);
}

/** Did a cluster print the text, or does it hold a Secret? @param {string} text */
export function wasPrinted(text) {
	return FIELD.test(text) || KIND.test(text);
}
