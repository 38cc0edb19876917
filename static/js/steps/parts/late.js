// @ts-check
/** What pod groups add to the page: here once a run tells of one (group/around.js). */

/** @type {Partial<typeof import("../group/around.js").AROUND>} */
export const GROUPS = {};
