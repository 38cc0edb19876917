// @ts-check
/** The teacher's table: who has solved the challenge of the class, and in how many tries. */
import { h, patch } from "../shared/dom.js";
import { request } from "../shared/server.js";

const AGAIN = 3000; // ms

/** @typedef {{name: string, tries: number, held: number, solved_in: number | null}} Student */

const table = /** @type {HTMLElement} */ (document.getElementById("solvers"));
const { url = "", student = "", solved = "", tried = "", none = "" } = table.dataset;

/** Requests the list of students and draws it, again and again while the page may see it. */
async function draw() {
	const { status, body } = await request(url);
	if (status === 200) {
		const students = /** @type {Student[]} */ (body.students);
		patch(table, students.length ? students.map((solver, n) => row(solver, n, body.variants)) : [empty()]);
		table.dataset.ready = String(students.length);
	}
	if (status !== 403 && status !== 404) setTimeout(draw, AGAIN);
}

/**
 * One student: the name, the variants that hold, and the number of tries.
 * @param {Student} solver @param {number} n @param {number} variants
 */
function row(solver, n, variants) {
	const held = tried.replace("{held}", String(solver.held)).replace("{of}", String(variants));
	return h(
		"tr",
		{ key: String(n) },
		h("th", { scope: "row" }, solver.name || student.replace("{n}", String(n + 1))),
		h("td", { class: solver.solved_in ? "yes" : "" }, solver.solved_in ? `✓ ${solved}` : held),
		h("td", null, String(solver.tries)),
	);
}

/** The row that says that nobody has tried yet. */
function empty() {
	return h("tr", { key: "none" }, h("td", { colspan: "3", class: "muted" }, none));
}

void draw();
