// @ts-check
/** Stores a file that was dropped on another page in this browser, until the editor opens. */

const STORE = "kschedui.dropped";
const PLACE = "/dropped";

/** Stores a dropped file for the editor; returns false if this browser cannot store it. @param {Blob} file */
export async function handOver(file) {
	try {
		await (await caches.open(STORE)).put(PLACE, new Response(file));
		return true;
	} catch {
		return false;
	}
}

/** Returns the stored file and removes it; null if there is none. @returns {Promise<Blob | null>} */
export async function takeOver() {
	try {
		const response = await (await caches.open(STORE)).match(PLACE);
		await caches.delete(STORE);
		return response ? await response.blob() : null;
	} catch {
		return null;
	}
}
