// @ts-check
/**
 * Short names: a node's name without the parts that all nodes share; a pod's name as its workload and the rest.
 * The full name is shown on hover, in the margin and for screen readers.
 */

import { cutName, nameInKey } from "./units.js";

const LONG = 16; // characters: names up to this length are shown as they are
const PART = /[^-._]+[-._]*/g; // with the separators after it
const NUMBER = /^\d{1,3}[-._]*$/; // of an IP address

/** The names on the page, and how they are shown. */
const known = {
	names: /** @type {readonly string[]} */ ([]),
	shown: /** @type {Map<string, string>} */ (new Map()),
	/** The number of names with each ending. */
	ends: /** @type {Map<string, number>} */ (new Map()),
};

/**
 * Sets the names of the nodes, from which their short names follow.
 * @param {readonly string[]} names the same array while the names are the same
 */
export function setNodeNames(names) {
	if (known.names === names) return;
	known.names = names;
	known.shown = shortened(names);
	known.ends.clear();
	for (const name of names) {
		const end = lastPart(known.shown.get(name) ?? name);
		known.ends.set(end, (known.ends.get(end) ?? 0) + 1);
	}
}

const LEAST_END = 3; // characters of a last part that can stand for a name

/** The last part of a name: "8kc6" of "pool-a-8kc6". */
const lastPart = (/** @type {string} */ name) => name.split(/[-._]/).at(-1) ?? "";

/**
 * A node's short name; if it is too long, its last part if that is unique ("…8kc6"), otherwise the name cut in the
 * middle.
 * @param {string} name @param {number} [most] characters
 */
export function nodeName(name, most = Number.POSITIVE_INFINITY) {
	const shown = known.shown.get(name) ?? name;
	const end = lastPart(shown);
	const usesEnd = shown.length > most && end.length >= LEAST_END && end.length < most && known.ends.get(end) === 1;
	return usesEnd ? `…${end}` : cutName(shown, most);
}

/**
 * The parts that distinguish names, each unique: "10-87" of "ip-10-0-10-87.eu-west-1.compute.internal".
 * @param {readonly string[]} names @param {number} [long] if no name has more characters, all stay as they are
 * @returns {Map<string, string>} the short name of each; empty if the names stay as they are
 */
export function shortened(names, long = LONG) {
	if (names.length < 2 || Math.max(...names.map((name) => name.length)) <= long) return new Map();
	const parts = names.map((name) => name.match(PART) ?? [name]);
	const end = commonEnd(parts);
	const bare = parts.map((own) => own.slice(0, own.length - end));
	const start = commonStart(bare.map((own) => own[own.length - 1]));
	/** @type {Map<string, string>} */
	const shown = new Map();
	keepDiffering(
		bare.map((own, i) => ({ name: names[i], rest: own, kept: [] })),
		(name, kept) => {
			const last = kept.pop() ?? "";
			shown.set(name, [...kept, last.slice(start)].join("").replace(/(?<![-._])[-._]+$/, ""));
		},
	);
	const unique = new Set(shown.values()).size === names.length && ![...shown.values()].includes("");
	return unique ? shown : new Map();
}

/** The number of parts that all names end with; every name keeps one part. @param {string[][]} parts of each name */
function commonEnd(parts) {
	const most = Math.min(...parts.map((own) => own.length)) - 1;
	let end = 0;
	while (end < most && parts.every((own) => own[own.length - 1 - end] === parts[0][parts[0].length - 1 - end]))
		end += 1;
	return end;
}

/**
 * The length of the letters and zeros with which all numbered names begin, as in vmss000012; 0 if they have no such
 * start.
 * @param {string[]} ends the last parts of the names
 */
function commonStart(ends) {
	const start = /^[a-z]+0+/.exec(ends[0])?.[0] ?? "";
	let n = start.length;
	while (n && !ends.every((end) => end.startsWith(start.slice(0, n)) && end.length > n)) n -= 1;
	return start.slice(0, n).endsWith("0") ? n : 0;
}

/**
 * Drops the parts that all names of a group share, and splits the group by the parts that differ. Numbers within a name
 * stay, since an IP address is read as a whole. `done` gets each name and the parts that it keeps.
 * @param {{name: string, rest: string[], kept: string[]}[]} group @param {(name: string, kept: string[]) => void} done
 */
function keepDiffering(group, done) {
	/** @type {Map<string, typeof group>} */
	const byPart = new Map();
	for (const { name, rest, kept } of group) {
		const [part = "", ...others] = rest;
		if (!rest.length || group.length === 1) {
			const differing = rest.filter((own, i) => i === rest.length - 1 || (!i && !kept.length) || NUMBER.test(own));
			done(name, [...kept, ...differing]);
			continue;
		}
		byPart.set(part, [...(byPart.get(part) ?? []), { name, rest: others, kept: [...kept, part] }]);
	}
	for (const [part, own] of byPart) {
		const shared = byPart.size === 1 && own.length === group.length && own.every(({ rest }) => rest.length);
		const goes = shared && !(own[0].kept.length > 1 && NUMBER.test(part));
		keepDiffering(goes ? own.map((entry) => ({ ...entry, kept: entry.kept.slice(0, -1) })) : own, done);
	}
}

// the hash of its template has a digit, or many of the letters of Kubernetes' random names, which have no vowels
const OF_REPLICA_SET = /^(.+)-(?:(?=[a-z]*\d)[a-z0-9]{7,10}|[bcdfghjklmnpqrstvwxz]{8,10})-([a-z0-9]{5})$/;
const OF_CONTROLLER = /^(.+)-([bcdfghjklmnpqrstvwxz2456789]{5})$/;

/**
 * A pod's name: its workload and the random suffix; the whole name and "" if it has no random suffix ("db-0").
 * @param {string} key @returns {[string, string]}
 */
export function podParts(key) {
	const name = nameInKey(key);
	const [, workload, hash] = OF_REPLICA_SET.exec(name) ?? OF_CONTROLLER.exec(name) ?? [];
	return workload && (/\d/.test(hash) || !/[aeiou]/.test(hash)) ? [workload, hash] : [name, ""];
}

/** The name of a pod in a text, with a space that does not break: "checkout bc8c8". @param {string} key */
export function shortPod(key) {
	return podParts(key).filter(Boolean).join("\u00a0");
}
