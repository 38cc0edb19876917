// @ts-check
/** The step of a link stands in its fragment, which no server is sent: it is kept for the page that shows the run. */

const next = /** @type {HTMLInputElement | null} */ (document.getElementById("next"));
if (next) next.value += location.hash;
