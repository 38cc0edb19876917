// @ts-check
/** What a page of a class has besides the player; it comes once the first step is drawn. */

/**
 * The player's page, as far as a class needs it.
 * @typedef {object} Page
 * @property {HTMLElement} root
 * @property {Player} player
 * @property {ChunkStore} store
 * @property {RunIndex} index
 * @property {{selection: any, pin: string | null}} chosen
 * @property {{drawn: View | null, followers: Set<(before: View | null, now: View) => void>}} screen
 * @property {(motion: boolean) => void} redraw
 * @property {any} boot
 */

/** @param {Page} page */
export async function begin(page) {
	if (page.boot.class.role === "teacher") (await import("./teacher.js")).teach(page);
	else (await import("./student.js")).attend(page);
}
