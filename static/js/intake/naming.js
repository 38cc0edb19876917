// @ts-check
/**
 * Replaces a cluster's names before anything leaves this browser, with the same table as
 * `kschedui/scenarios/anonymise`. A test requires equal output of both.
 */

/**
 * @typedef {{public: string, number: string, kept: string[], patterns: Record<string, string>, labelMaps: string[],
 *   references: Record<string, string>, named: Record<string, string>, keys: string[], pods: string[],
 *   annotations: string[], spoken: string[], words: string[], amounts: string[], drivers: string[]}} Naming
 *   naming_table.py
 */
/** @typedef {Map<string, string>} Mapping original -> made-up */

const DEVICE_CLASS = "deviceclass.resource.kubernetes.io/";
const ZONES = "__"; // between the zones of a volume

/** Whether a value is an object and not a list. @param {any} value */
const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * Whether a value is a map of labels, or a selector that is one.
 * @param {Naming} table @param {string} name @param {any} value
 */
function isLabelMap(table, name, value) {
	if (!isMap(value) || "nodeSelectorTerms" in value) return false;
	return table.labelMaps.includes(name) || (name === "selector" && !value.matchLabels && !value.matchExpressions);
}

/** All names of a scenario by the kind of object. */
export class Names {
	/** @param {Naming} table */
	constructor(table) {
		this.table = table;
		this.public = new RegExp(table.public);
		this.number = new RegExp(table.number);
		/** @type {Record<string, Set<string>>} */
		this.byKind = Object.fromEntries(Object.keys(table.patterns).map((kind) => [kind, new Set()]));
		/** @type {Set<string>} of devices */
		this.drivers = new Set();
		/** @type {Set<string>} uids */
		this.owners = new Set();
		/** @type {Map<string, [string, string]>} ReplicaSet -> Deployment, hash */
		this.hashed = new Map();
	}

	/**
	 * Adds a name of a kind, unless it is public or a number; of several zones, each.
	 * @param {string} kind @param {any} name
	 */
	add(kind, name) {
		if (typeof name !== "string") return;
		if (name.includes(ZONES)) for (const part of name.split(ZONES)) this.add(kind, part);
		else if (!this.table.kept.includes(name) && !this.public.test(name) && !this.number.test(name))
			this.byKind[Object.hasOwn(this.table.patterns, kind) ? kind : "value"].add(name);
	}

	/** Collects names everywhere in plain data. @param {any} value @param {string} [key] */
	collect(value, key = "") {
		if (Array.isArray(value)) for (const item of value) this.collect(item, key);
		if (!isMap(value)) return;
		this.recordReplicaSet(value.metadata);
		const [kind, driver] = this.table.drivers;
		if (value.kind === kind && isMap(value.spec) && typeof value.spec[driver] === "string")
			this.drivers.add(value.spec[driver]);
		if (isMap(value.metadata) && typeof value.kind === "string" && value.kind !== "Scenario") {
			this.add(value.kind, value.metadata.name);
			this.add("Namespace", value.metadata.namespace);
		}
		if (key === "ownerReferences") this.owners.add(String(value.uid));
		for (const [name, item] of Object.entries(value)) {
			this.addField(key, name, item, value);
			this.collect(item, name);
		}
	}

	/**
	 * Adds the names in a field.
	 * @param {string} parent @param {string} name @param {any} item @param {any} holder
	 */
	addField(parent, name, item, holder) {
		const { table } = this;
		const all = (/** @type {string} */ kind, /** @type {any} */ names) => {
			for (const each of Array.isArray(names) ? names : [names]) this.add(kind, each);
		};
		if (isLabelMap(table, name, item)) {
			all("key", Object.keys(item));
			all("value", Object.values(item));
		} else if (table.keys.includes(name)) all("key", item);
		else if (name === "values" && Array.isArray(item)) all("value", item);
		else if (name === "value" && Object.hasOwn(holder, "key")) this.add("value", item);
		else if (name === "namespaces" && Array.isArray(item)) all("Namespace", item);
		else if (name === "image" && (parent === "containers" || parent === "initContainers")) this.add("image", item);
		else if (name === "names" && Object.hasOwn(holder, "sizeBytes") && Array.isArray(item)) all("image", item);
		else if (Object.hasOwn(table.references, name)) this.add(table.references[name], item);
		else if (name === "name" && Object.hasOwn(table.named, parent)) this.add(table.named[parent], item);
	}

	/**
	 * Records the name of a ReplicaSet, which consists of its Deployment's name and a hash.
	 * @param {any} metadata
	 */
	recordReplicaSet(metadata) {
		const hash = metadata?.labels?.["pod-template-hash"];
		if (typeof hash !== "string" || !Array.isArray(metadata.ownerReferences)) return;
		for (const { name } of metadata.ownerReferences.filter(isMap)) {
			if (typeof name === "string" && name.endsWith(`-${hash}`))
				this.hashed.set(name, [name.slice(0, -hash.length - 1), hash]);
		}
	}

	/**
	 * The generated names of all but label keys, numbered in the order of the originals; drivers of devices keep theirs.
	 * @returns {Mapping}
	 */
	mapping() {
		for (const names of Object.values(this.byKind)) for (const driver of this.drivers) names.delete(driver);
		/** @type {Mapping} */
		const newNames = new Map();
		for (const [kind, pattern] of Object.entries(this.table.patterns)) {
			if (kind === "key") continue;
			const ofKind =
				kind === "image" ? imageNames(this.unmapped(kind, newNames), pattern) : this.numbered(kind, newNames);
			for (const [name, other] of ofKind) newNames.set(name, other);
		}
		for (const [name, [owner, hash]] of [...this.hashed].sort()) {
			const ownerName = newNames.get(owner);
			if (ownerName !== undefined) newNames.set(name, `${ownerName}-${newNames.get(hash) ?? hash}`);
		}
		return newNames;
	}

	/** The names of a kind that have no new name yet. @param {string} kind @param {Mapping} mapping */
	unmapped(kind, mapping) {
		return [...this.byKind[kind]].filter((name) => !mapping.has(name)).sort();
	}

	/**
	 * New names with numbers for the names of a kind that have none yet.
	 * @param {string} kind @param {Mapping} [taken] @returns {Mapping}
	 */
	numbered(kind, taken = new Map()) {
		const names = this.unmapped(kind, taken);
		return new Map(names.map((name, i) => [name, `${this.table.patterns[kind]}-${digits(i + 1, names.length)}`]));
	}
}

/** The number with as many digits as the last one. @param {number} number @param {number} last */
const digits = (number, last) => String(number).padStart(String(last).length, "0");

/**
 * New names of images; an image without a tag is the same as with the tag latest.
 * @param {string[]} names @param {string} pattern
 */
function imageNames(names, pattern) {
	const whole = new Map(
		names.map((name) => [name, name.slice(name.lastIndexOf("/") + 1).includes(":") ? name : `${name}:latest`]),
	);
	const all = [...new Set(whole.values())].sort();
	const numbers = new Map(all.map((name, i) => [name, digits(i + 1, all.length)]));
	return new Map(
		[...whole].map(([name, full]) => {
			const tag = name !== full ? "" : full.endsWith(":latest") ? ":latest" : ":1";
			return [name, `${pattern}-${numbers.get(full)}${tag}`];
		}),
	);
}

/** Replaces every name in plain data. */
export class Renaming {
	/** @param {Names} names */
	constructor(names) {
		this.names = names;
		this.table = names.table;
		this.mapping = names.mapping();
		this.keys = names.numbered("key");
	}

	/**
	 * The data with the new names, without the fields for which `isSpoken` is true.
	 * @param {any} value @param {string[]} [path] the keys above @returns {any}
	 */
	value(value, path = []) {
		const last = path.at(-1) ?? "";
		if (path.length && isLabelMap(this.table, last, value))
			return Object.fromEntries(
				Object.entries(value).map(([key, item]) => [this.keys.get(key) ?? key, this.value(item)]),
			);
		if (isMap(value)) {
			const pods = last === "pods" && path.at(-2) === "expect";
			const entries = Object.entries(value).filter(([key, item]) => !this.isSpoken(key, item, path));
			return Object.fromEntries(
				entries.map(([key, item]) => [
					pods ? this.text(key, ["pods"]) : this.resource(key),
					this.value(item, [...path, key]),
				]),
			);
		}
		if (Array.isArray(value)) return value.map((item) => this.value(item, path));
		return typeof value === "string" ? this.text(value, path) : value;
	}

	/** The new name of a DeviceClass's implicit extended resource; other keys as they are. @param {string} key */
	resource(key) {
		if (!key.startsWith(DEVICE_CLASS)) return key;
		const name = key.slice(DEVICE_CLASS.length);
		return DEVICE_CLASS + (this.mapping.get(name) ?? name);
	}

	/**
	 * Whether a field is free text, quotes names as a condition or an expectation does, or is a uid that is not replaced.
	 * @param {string} key @param {any} item @param {string[]} path
	 */
	isSpoken(key, item, path) {
		if (path.at(-1) === "annotations") return !this.table.annotations.includes(key);
		return (
			key === "message" ||
			(path.length === 1 && path[0] === "spec" && this.table.spoken.includes(key)) ||
			(key === "reason" && path.includes("expect")) ||
			(key === "uid" && !this.names.owners.has(String(item)) && !this.mapping.get(String(item)))
		);
	}

	/** The text with the new names. @param {string} text @param {string[]} path */
	text(text, path) {
		const { table, mapping } = this;
		const last = path.at(-1) ?? "";
		if (last === "name" && path.at(-2) === "firstAvailable") return text; // a subrequest, which results refer to
		if (table.words.includes(last) || table.amounts.includes(last) || table.amounts.includes(path.at(-2) ?? ""))
			return text;
		if (table.keys.includes(last)) return this.keys.get(text) ?? text;
		if (last === "reject") return "rejected";
		const newName = mapping.get(text);
		if (newName !== undefined) return newName;
		const renamed = (/** @type {string} */ name) => mapping.get(name) ?? name;
		if (text.includes(ZONES)) return text.split(ZONES).map(renamed).join(ZONES);
		const slash = text.indexOf("/");
		if (slash >= 0 && table.pods.includes(last))
			return `${renamed(text.slice(0, slash))}/${renamed(text.slice(slash + 1))}`;
		return text;
	}
}
