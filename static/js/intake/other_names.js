// @ts-check
/**
 * Collects the objects of a dump, and writes them with other names once all names are known. Exports and ConfigMaps
 * are replaced by the objects in them.
 */
import { parseAllDocuments } from "../../vendor/yaml/yaml.js";
import { Names, Renaming } from "./naming.js";

const CONFIGURATIONS = ["KubeSchedulerConfiguration", "Policy"];

export class OtherNames {
	/** @type {string[]} objects as JSON */
	held = [];
	/** @type {object | null} the table of names, as `kschedui anonymise --mapping` writes it */
	names = null;

	/** @param {import("./naming.js").Naming} naming @param {import("./pruning.js").Table} table */
	constructor(naming, table) {
		this.table = table;
		this.originals = new Names(naming);
	}

	/** Collects the names in a document, and keeps it until all names are known. @param {string} document */
	take(document) {
		for (const manifest of this.objectsIn(JSON.parse(document))) {
			this.originals.collect(manifest);
			this.held.push(JSON.stringify(manifest));
		}
	}

	/**
	 * The objects in an export, the configurations in a ConfigMap, or the object itself.
	 * @param {any} manifest @returns {any[]}
	 */
	objectsIn(manifest) {
		if (manifest.kind === "ConfigMap") return Object.values(manifest.data ?? {}).flatMap(configurations);
		if (manifest.kind !== undefined) return [manifest];
		const fields = /** @type {[string, any][]} */ (Object.entries(this.table.types[this.table.export]));
		return fields.flatMap(([field, rule]) => {
			const kind = rule.t ?? rule.l.t;
			const items = Array.isArray(manifest[field]) ? manifest[field] : manifest[field] ? [manifest[field]] : [];
			return items.map((/** @type {object} */ item) => ({ apiVersion: this.table.kinds[kind].version, kind, ...item }));
		});
	}

	/** Writes the documents with their new names. @param {(document: string) => void} write */
	write(write) {
		const renaming = new Renaming(this.originals);
		for (const json of this.held) write(JSON.stringify(renaming.value(JSON.parse(json))));
		const { mapping, keys } = renaming;
		this.names = { names: Object.fromEntries(mapping), "label keys": Object.fromEntries(keys) };
	}
}

/** The scheduler configurations in a text. @param {any} text */
function configurations(text) {
	const documents = /** @type {any[]} */ (parseAllDocuments(String(text), { version: "1.1" }));
	const parsed = documents.filter((document) => !document.errors.length).map((document) => document.toJS());
	return parsed.filter((document) => CONFIGURATIONS.includes(document?.kind));
}
