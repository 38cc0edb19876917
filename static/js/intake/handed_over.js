// @ts-check
/** A file that was dropped on another page, kept in this browser until the editor opens. */

const STORE = "kschedui.dropped";
const PLACE = "/dropped";

/** False where this browser keeps none. @param {Blob} file */
export async function handOver(file) {
	try {
		await (await caches.open(STORE)).put(PLACE, new Response(file));
		return true;
	} catch {
		return false;
	}
}

/** The file, once. @returns {Promise<Blob | null>} */
export async function takeOver() {
	try {
		const response = await (await caches.open(STORE)).match(PLACE);
		await caches.delete(STORE);
		return response ? await response.blob() : null;
	} catch {
		return null;
	}
}
