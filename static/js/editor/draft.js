// @ts-check
/**
 * Keeps the typed text in this browser until it is saved, with the number of the version on which it is based.
 */

const PREFIX = "kschedui.draft.";
const LONGEST = 5_000_000; // characters: more than browsers keep for a site

/** @typedef {{text: string, at: number, version: number}} Draft */

/**
 * Returns the functions that read and write the draft of a scenario.
 * @param {string} id the scenario's, or "new" with what it is a fork of
 * @param {number} version the newest; 0: not saved yet
 */
export function draftOf(id, version) {
	const start = `${PREFIX}${id}.`;
	let from = version;
	return {
		/**
		 * The draft based on this version, otherwise the latest one based on an older version, which is then saved as a
		 * conflict and not lost; null if there is none.
		 * @returns {Draft | null}
		 */
		read() {
			const earlier = drafts(start).filter((entry) => entry.version <= version);
			const draft =
				earlier.find((entry) => entry.version === version) ?? earlier.sort((a, b) => b.at - a.at)[0] ?? null;
			from = draft?.version ?? version;
			return draft;
		},
		/** Stores a text; returns false if it is too long or storage is not available. @param {string} text */
		keep(text) {
			if (text.length > LONGEST) return false;
			try {
				localStorage.setItem(start + from, JSON.stringify({ text, at: Date.now() }));
				return true;
			} catch {
				return false; // storage is full or forbidden; the page says so
			}
		},
		/** Bases newly typed text on another version; earlier drafts stay. @param {number} other */
		rebase(other) {
			from = other;
		},
		/** Removes all drafts of this scenario. */
		forget() {
			from = version;
			for (const draft of drafts(start)) localStorage.removeItem(start + draft.version);
		},
	};
}

/**
 * The drafts in the browser's storage whose keys begin with `start`.
 * @param {string} start of their keys @returns {Draft[]}
 */
function drafts(start) {
	try {
		const keys = Object.keys(localStorage).filter(
			(key) => key.startsWith(start) && /^\d+$/.test(key.slice(start.length)),
		);
		return keys
			.map((key) => ({ ...JSON.parse(localStorage.getItem(key) ?? "{}"), version: Number(key.slice(start.length)) }))
			.filter((draft) => typeof draft.text === "string");
	} catch {
		return [];
	}
}
