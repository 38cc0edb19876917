// @ts-check
/**
 * Recognises texts that a cluster printed, as `scenarios/kinds_of_text.py` does: by fields that only an API server
 * writes.
 */

const FIELD = /(?:^|[\s{,-])["']?(?:managedFields|resourceVersion|selfLink)["']?\s*:|last-applied-configuration/;
const KIND = /(?:^|[\s{,-])["']?kind["']?\s*:\s*["']?(?:Secret|ConfigMap)\b/;

// the start of kubectl's output for people
const FOR_PEOPLE = /^(?:Name: {2,}\S|(?:NAMESPACE {2,})?(?:NAME|LAST SEEN) {2,}[A-Z])/m;
const EXPORT = /(?:^|[\s{,])["']?schedulerConfig["']?\s*:/;

/**
 * Whether the text has to be converted to a scenario: printed by a cluster, printed for people, or an export of
 * kube-scheduler-simulator.
 * @param {string} text
 */
export function needsImport(text) {
	return wasPrinted(text) || EXPORT.test(text) || FOR_PEOPLE.test(text);
}

/** Whether a cluster printed the text, or it contains a Secret. @param {string} text */
export function wasPrinted(text) {
	return FIELD.test(text) || KIND.test(text);
}
