// @ts-check
/**
 * Removes the fields that scheduling does not read, as `importers/reading/pruning.py` does, with the same table
 * (`reading_table.py`, from /api/v1/catalogue). A test requires equal output of both.
 */

/** @typedef {0 | 1 | Record<string, any>} Rule see reading_table.py */
/**
 * @typedef {{kinds: Record<string, {versions: string[], version: string, type: string}>,
 *   types: Record<string, Record<string, Rule>>, export: string}} Table
 */

const MAX_SLIPS = 2;
// Kinds of Kubernetes that no scheduler reads.
const BUILT_IN = new Set(
	"Secret ConfigMap ServiceAccount Event Lease Endpoints EndpointSlice Role RoleBinding ClusterRole ClusterRoleBinding "
		.concat("ControllerRevision PodTemplate Ingress IngressClass NetworkPolicy HorizontalPodAutoscaler ResourceQuota ")
		.concat("CustomResourceDefinition APIService ComponentStatus ValidatingWebhookConfiguration ")
		.concat("MutatingWebhookConfiguration FlowSchema PriorityLevelConfiguration CertificateSigningRequest ")
		.concat("CSIStorageCapacity ValidatingAdmissionPolicy CronJob Binding ")
		.concat("ResourceClass")
		.split(" "),
).add("container log");
const BEFORE = /^(.*)\//; // the group of an apiVersion

/**
 * Counts the parts that are left out, by name. `cut`: [line, objects before it] if the text ends within an object.
 */
export class LeftOut {
	kinds = /** @type {Record<string, number>} */ ({});
	fields = /** @type {Record<string, number>} */ ({});
	unknown = /** @type {Record<string, number>} */ ({});
	said = /** @type {Record<string, number>} */ ({});
	cut = /** @type {number[]} */ ([]);
	lacks = /** @type {(number | string)[]} */ ([]); // [line, field]: the last object ends there without the field

	/**
	 * Counts a kind, a field or a line of terminal output that was left out.
	 * @param {"kinds" | "fields" | "unknown" | "said"} tally @param {string} name
	 */
	count(tally, name) {
		this[tally][name] = (this[tally][name] ?? 0) + 1;
	}

	/** Adds the counts of another text. @param {LeftOut} other */
	add(other) {
		for (const tally of /** @type {const} */ (["kinds", "fields", "unknown", "said"])) {
			for (const [name, number] of Object.entries(other[tally])) this[tally][name] = (this[tally][name] ?? 0) + number;
		}
	}

	/** Replaces the names of custom resources and unknown fields, which may identify a cluster. */
	removeNames() {
		const custom = Object.keys(this.kinds).filter((kind) => !BUILT_IN.has(kind));
		for (const kind of custom) {
			this.kinds["custom resource"] = (this.kinds["custom resource"] ?? 0) + this.kinds[kind];
			delete this.kinds[kind];
		}
		const others = Object.values(this.unknown).reduce((sum, number) => sum + number, 0);
		this.unknown = others ? { other: others } : {};
	}

	/** The counts as the last document of the text that is sent. */
	get document() {
		return JSON.stringify({ apiVersion: "kschedui.io/v1alpha1", kind: "LeftOut", ...this });
	}
}

export class Pruning {
	/** @param {Table} table */
	constructor(table) {
		this.table = table;
		this.exported = Object.keys(table.types[table.export]);
		/** @type {Map<string, Rule | undefined>} */
		this.rules = new Map();
	}

	/** The table's type of an object; "" if it is not read. @param {string} version @param {string} kind */
	typeOfKind(version, kind) {
		const row = Object.hasOwn(this.table.kinds, kind) ? this.table.kinds[kind] : undefined;
		if (!row || (version && !row.versions.includes(version))) return "";
		return row.type;
	}

	/** The name of an object that is left out. @param {string} version @param {string} kind */
	nameOfKind(version, kind) {
		if (!version || !Object.hasOwn(this.table.kinds, kind)) return kind || "?";
		const group = groupOf(version);
		const isRead = this.table.kinds[kind].versions.some((other) => groupOf(other) === group);
		return `${isRead ? version : group}/${kind}`;
	}

	/**
	 * The object without the fields that are not read; null if the object is not read.
	 * @param {any} manifest
	 * @param {LeftOut} leftOut
	 */
	pruned(manifest, leftOut) {
		const version = typeof manifest.apiVersion === "string" ? manifest.apiVersion : "";
		const kind = typeof manifest.kind === "string" ? manifest.kind : "";
		const isExport = (manifest.kind ?? null) === null && this.exported.some((name) => Array.isArray(manifest[name]));
		const name = isExport ? this.table.export : kind && this.typeOfKind(version, kind);
		if (name) return this.fields(manifest, name, leftOut);
		leftOut.count("kinds", this.nameOfKind(version, kind));
		return null;
	}

	/**
	 * The value with the fields that its rule allows.
	 * @param {any} value @param {any} rule @param {LeftOut} leftOut @returns {any}
	 */
	prune(value, rule, leftOut) {
		if (rule === 1 || value === null || typeof value !== "object") return value;
		if (Array.isArray(value)) {
			if (!rule.l) return value.map((item) => this.prune(item, rule, leftOut));
			const { where } = rule;
			return value
				.filter((item) => !where || (item && typeof item === "object" && where[1].includes(item[where[0]])))
				.map((item) => this.prune(item, rule.l, leftOut));
		}
		if (rule.t) return this.fields(value, rule.t, leftOut);
		if (rule.m)
			return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.prune(item, rule.m, leftOut)]));
		if (rule.k) return Object.fromEntries(Object.entries(value).filter(([key]) => rule.k.includes(key)));
		if (rule.with)
			return Object.fromEntries(
				Object.entries(value).filter(([, item]) =>
					rule.with.some((/** @type {string} */ text) => String(item).includes(text)),
				),
			);
		return this.prune(value, rule.l, leftOut);
	}

	/**
	 * The fields of an object that its rules allow.
	 * @param {any} value @param {string} name @param {LeftOut} leftOut
	 */
	fields(value, name, leftOut) {
		/** @type {Record<string, any>} */
		const pruned = {};
		for (const [key, item] of Object.entries(value)) {
			const rule = this.ruleOf(name, key);
			if (rule === undefined) leftOut.count("unknown", this.unknownName(name, key));
			else if (rule === 0) leftOut.count("fields", key);
			else {
				pruned[key] = this.prune(item, rule, leftOut);
				const isMap = item !== null && typeof item === "object" && !Array.isArray(item);
				if (rule !== 1 && rule.k && isMap && Object.keys(pruned[key]).length < Object.keys(item).length)
					leftOut.count("fields", key);
			}
		}
		return pruned;
	}

	/**
	 * The name of an unknown field; with the type that contains it, if it belongs in a pod's spec.
	 * @param {string} name
	 * @param {string} key
	 */
	unknownName(name, key) {
		return name !== "PodSpec" && Object.hasOwn(this.table.types.PodSpec, key) ? `${name}.${key}` : key;
	}

	/**
	 * The rule of a type's field; for a misspelled field, the rule of the intended one. Undefined if it is unknown.
	 * @param {string} name
	 * @param {string} key
	 * @returns {Rule | undefined}
	 */
	ruleOf(name, key) {
		const fields = this.table.types[name];
		if (Object.hasOwn(fields, key)) return fields[key];
		if (Object.hasOwn(fields, "*")) return fields["*"];
		const at = `${name} ${key}`;
		if (!this.rules.has(at)) this.rules.set(at, this.ruleOfSimilar(fields, key));
		return this.rules.get(at);
	}

	/**
	 * The rule of the field that a misspelled key probably means; undefined if no field is similar.
	 * @param {Record<string, Rule>} fields @param {string} key
	 */
	ruleOfSimilar(fields, key) {
		let [best, least] = ["", Infinity];
		for (const field of Object.keys(fields)) {
			const number = editDistance(key, field);
			if (number < least || (number === least && field < best)) [best, least] = [field, number];
		}
		return least <= Math.min(MAX_SLIPS, Math.floor(([...key].length - 1) / 2)) ? fields[best] : undefined;
	}
}

/** The API group of an apiVersion; "" for the core group. @param {string} version */
function groupOf(version) {
	return BEFORE.exec(version)?.[1] ?? "";
}

/** The edit distance of two names, ignoring case. @param {string} word @param {string} other */
function editDistance(word, other) {
	const [from, to] = [[...word.toLowerCase()], [...other.toLowerCase()]];
	let before = Array.from({ length: to.length + 1 }, (_, i) => i);
	for (let i = 1; i <= from.length; i += 1) {
		const row = [i];
		for (let j = 1; j <= to.length; j += 1)
			row.push(Math.min(before[j] + 1, row[j - 1] + 1, before[j - 1] + Number(from[i - 1] !== to[j - 1])));
		before = row;
	}
	return before[to.length];
}
