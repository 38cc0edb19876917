// @ts-check
/** Input on the editor's page: keys, tabs, dropped files, chosen templates. */

/**
 * Shows a tab that is clicked, or the other one at the left and right keys.
 * @param {HTMLElement} page @param {(name: "yaml" | "builder") => void} show
 */
export function listenToTabs(page, show) {
	const tabs = /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll("[role=tab]"));
	const nameOf = (/** @type {HTMLElement} */ tab) => /** @type {"yaml" | "builder"} */ (tab.id.replace("tab-", ""));
	for (const tab of tabs) tab.addEventListener("click", () => show(nameOf(tab)));
	page.querySelector("[role=tablist]")?.addEventListener("keydown", (event) => {
		const { key } = /** @type {KeyboardEvent} */ (event);
		if (key !== "ArrowLeft" && key !== "ArrowRight") return;
		const other = [...tabs].find((tab) => tab.getAttribute("aria-selected") !== "true");
		if (!other) return;
		show(nameOf(other));
		other.focus();
	});
}

/**
 * Handles keys outside the YAML editor: Ctrl-Enter runs the text; undo and redo change the text also when the builder
 * has the focus.
 * @param {HTMLElement} page
 * @param {{editor: {undo: () => void, redo: () => void}, run: () => void, redraw: () => void}} actions
 */
export function listenToKeys(page, { editor, run, redraw }) {
	const builder = /** @type {HTMLElement} */ (page.querySelector("#builder"));
	let typing = false; // in a field of the builder, which has its own undo
	for (const kind of ["input", "change", "focusin"])
		builder.addEventListener(kind, () => (typing = kind === "input"), true);
	page.addEventListener("keydown", (event) => {
		if (!(event.ctrlKey || event.metaKey) || event.altKey || builder.hidden || typing) return;
		const key = event.key.toLowerCase();
		if (key !== "z" && key !== "y") return;
		event.preventDefault();
		if (key === "y" || event.shiftKey) editor.redo();
		else editor.undo();
		redraw();
	});
	page.addEventListener("keydown", (event) => {
		const field = /** @type {HTMLElement} */ (event.target);
		if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
		if (event.defaultPrevented || field.closest("dialog")) return;
		event.preventDefault();
		field.blur(); // applies what was typed
		field.focus();
		run();
	});
}

/**
 * Accepts a file that is dropped on the page; of several, the first.
 * @param {HTMLElement} page @param {(file: File) => void} onFile
 */
export function acceptDrops(page, onFile) {
	page.addEventListener("dragover", (event) => {
		event.preventDefault();
		page.classList.add("dropping");
	});
	page.addEventListener("dragleave", (event) =>
		page.classList.toggle("dropping", page.contains(/** @type {Node | null} */ (event.relatedTarget))),
	);
	page.addEventListener("drop", (event) => {
		event.preventDefault();
		page.classList.remove("dropping");
		const file = event.dataTransfer?.files[0];
		if (file) onFile(file);
	});
}

/** Calls `add` with each template that the author chooses. @param {(template: string) => void} add */
export function listenToTemplates(add) {
	for (const select of /** @type {NodeListOf<HTMLSelectElement>} */ (
		document.querySelectorAll("select[data-templates]")
	)) {
		select.addEventListener("change", () => {
			const template = select.value;
			select.selectedIndex = 0;
			add(template);
		});
	}
}
