// @ts-check
/** Passes the step in the link's fragment, which browsers do not send to servers, to the page that shows the run. */

const next = /** @type {HTMLInputElement | null} */ (document.getElementById("next"));
if (next) next.value += location.hash;
