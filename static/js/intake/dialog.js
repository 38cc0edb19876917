// @ts-check
/**
 * The dialog that imports a cluster from a file or from pasted text. A worker removes the fields that scheduling does
 * not read; only the rest is compressed and sent. Both can be cancelled.
 */
import { button, h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { pollForReply, send } from "../shared/server.js";
import { count } from "../shared/units.js";

/** @typedef {import("../shared/server.js").Problem} Problem */
/** @typedef {import("../shared/server.js").CallOptions} CallOptions */
/** @typedef {import("../shared/server.js").Reply} Reply */
/** @typedef {import("../shared/server.js").Checked} Checked */
/**
 * @typedef {{text: string, notes: string[], errors: Problem[], checked: Checked | null, upload: string}} Brought
 *   `checked`: the server's result for the text; `upload`: the id of a large text's upload
 */
/**
 * @typedef {{packed: Blob, size: number, asTyped: boolean, typed: string, source?: string, names: object | null}} Made
 *   `packed`: the data to send; `size`: its bytes before; `asTyped`: whether the text is sent as it was typed; `typed`:
 *   this text; `source`: kubectl's output for people; `names`: the table of replaced names
 */
/** @typedef {{worker: string, import: string, mostImport: string}} Addresses of the page's data */

const LONGEST_MESSAGES = 150_000; // of a text of messages; the limit of the page that explains them
const LONGEST_LINE = 10000; // of a text for the editor; longer lines cannot be corrected by hand

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class Intake {
	/**
	 * @param {{data: any, table: object, naming: object, take: (brought: Brought) => Promise<void>,
	 *   say: (sentence: string) => void, inWords: (problem: Problem) => string, keep: (upload: string) => void}} page
	 *   `keep` stores the id of the upload in progress, for when the page is reloaded; "" for none
	 */
	constructor(page) {
		this.page = page;
		/** @type {Worker | null} */
		this.worker = null;
		/** @type {AbortController | null} */
		this.sending = null;
		element("import-go").addEventListener("click", () =>
			this.bring(new Blob([/** @type {HTMLTextAreaElement} */ (element("import-text")).value])),
		);
		element("import-stop").addEventListener("click", () => this.stop());
		element("import-file").addEventListener("change", async (event) => {
			const input = /** @type {HTMLInputElement} */ (event.target);
			const file = input.files?.[0];
			if (file) await this.bring(file);
			input.value = ""; // the same file may be chosen again
		});
		element("import").addEventListener("close", () => this.stop());
		element("import").addEventListener("drop", (event) => {
			// the page would import it a second time
			event.preventDefault();
			event.stopPropagation();
			const file = /** @type {DragEvent} */ (event).dataTransfer?.files[0];
			if (file) this.bring(file);
		});
	}

	/** Opens the dialog. */
	open() {
		/** @type {HTMLDialogElement} */ (element("import")).showModal();
	}

	/** Reduces a file in the browser, and sends it to the server. @param {Blob} file */
	async bring(file) {
		if (this.worker || this.sending) return;
		const dialog = /** @type {HTMLDialogElement} */ (element("import"));
		if (!dialog.open) dialog.showModal();
		this.refuse("");
		this.setBusy(true);
		try {
			const reduction = await this.reduce(file);
			if (reduction) await this.send(reduction);
		} catch (error) {
			if (/** @type {Error} */ (error).name !== "AbortError") this.refuse(t("unreachable"));
		}
		this.idle();
		this.setBusy(false);
	}

	/** Stops the import that is in progress. */
	stop() {
		this.worker?.dispatchEvent(new Event("stop"));
		this.sending?.abort();
	}

	/** Ends the worker and forgets the request. */
	idle() {
		this.worker?.terminate();
		this.worker = this.sending = null;
	}

	/**
	 * Reduces the text to the fields that scheduling reads; null if it was refused or stopped. Rejects if the worker
	 * fails.
	 * @param {Blob} file
	 * @returns {Promise<Made | null>}
	 */
	reduce(file) {
		const most = Number(this.page.data.mostImport);
		if (file.size > most)
			return Promise.resolve(this.refuse(t("editor.import.large", { size: count(file.size), most: count(most) })));
		const worker = new Worker(this.page.data.worker, { type: "module" });
		this.worker = worker;
		this.showProgress(t("intake.reading"), 0);
		return new Promise((resolve, reject) => {
			worker.addEventListener("stop", () => resolve(null));
			worker.addEventListener("error", () => reject(new Error("worker")));
			worker.addEventListener("message", ({ data }) => {
				if (data.progress !== undefined) this.showProgress(t("intake.reading"), data.progress);
				else if (data.made) resolve({ packed: data.made, asTyped: false, ...data });
				else if (data.typed)
					resolve(packTyped(data.typed)); // the server says what is wrong
				else {
					const progress = { line: count(data.line), most: count(most), kind: data.kind };
					resolve(this.refuse(t(`intake.refused.${data.refused}`, progress)));
				}
			});
			const box = /** @type {HTMLInputElement} */ (element("import-anonymise"));
			worker.postMessage({ file, table: this.page.table, naming: box.checked ? this.page.naming : null, most });
		});
	}

	/** Sends the packed text to the server, and shows the answer. @param {Made} made @returns {Promise<void>} */
	async send({ packed, size, asTyped: isTyped, typed, source = typed, names }) {
		this.idle();
		this.showProgress(t("intake.sending", { size: count(size) }), null);
		const options = this.options();
		const { body } = await send(`${this.page.data.api}import`, "application/gzip", packed, options);
		const refused = body.errors?.length > 0;
		const correctable = refused && isCorrectable(typed, body.errors);
		const short = typed && typed.length <= LONGEST_MESSAGES;
		// for the numbers of its own lines
		if (refused && !isTyped && (correctable || short)) return this.send(await packTyped(typed));
		await this.finish(body, correctable ? typed : "", names);
		if (refused && body.errors[0].explains && source.length <= LONGEST_MESSAGES) this.offerExplanation(source);
	}

	/** Continues an upload that was in progress when the page was left. @param {string} upload */
	async resume(upload) {
		this.open();
		this.setBusy(true);
		try {
			const { body } = await pollForReply(`${this.page.data.api}uploads/${upload}`, this.options());
			if (body.url) return location.replace(body.url); // it was saved
			await this.finish(body, "", null);
		} catch {
			this.page.keep("");
		}
		this.idle();
		this.setBusy(false);
	}

	/** Returns the options of a request, which from now on can be stopped. @returns {CallOptions} */
	options() {
		this.sending = new AbortController();
		return {
			signal: this.sending.signal,
			onAccepted: this.page.keep,
			onWait: ({ ahead, part }) =>
				ahead === null
					? this.showProgress(t("intake.making", { percent: Math.floor(100 * part) }), part)
					: this.showProgress(t("wait.ahead", { n: ahead }), null),
		};
	}

	/**
	 * Closes the dialog with the result, or with a text whose errors can be corrected; otherwise shows the error.
	 * @param {any} body @param {string} typed @param {object | null} names
	 */
	async finish({ errors = [], text = "", notes = [], checked = null, upload = "" }, typed, names) {
		this.page.keep(upload);
		if (errors.length && !typed) return void this.refuse(asSentence(this.page.inWords(errors[0])));
		element("import").removeAttribute("data-busy");
		this.sending = null;
		/** @type {HTMLDialogElement} */ (element("import")).close();
		await this.page.take({ text: text || typed, notes, errors, checked, upload });
		if (text) showNotes(notes, names);
	}

	/** Offers to explain pasted messages on the page “Why is it Pending?”. @param {string} source */
	offerExplanation(source) {
		/** @type {HTMLTextAreaElement} */ (element("import-messages")).value = source;
		element("import-explain").hidden = false;
	}

	/** Shows why nothing was imported, and returns null. @param {string} sentence @returns {null} */
	refuse(sentence) {
		element("import-problem").hidden = !sentence;
		element("import-explain").hidden = true;
		element("import-problem").textContent = sentence;
		if (sentence) this.page.say(sentence);
		return null;
	}

	/**
	 * Shows the progress of the import.
	 * @param {string} sentence @param {number | null} part 0 to 1, null if not known
	 */
	showProgress(sentence, part) {
		const bar = /** @type {HTMLProgressElement} */ (element("import-bar"));
		element("import-doing").textContent = sentence;
		if (part === null) bar.removeAttribute("value");
		else bar.value = part;
	}

	/** Shows or hides the progress, and disables the controls meanwhile. @param {boolean} busy */
	setBusy(busy) {
		element("import").toggleAttribute("data-busy", busy);
		element("import-progress").hidden = !busy;
		for (const id of ["import-go", "import-file", "import-text"]) element(id).toggleAttribute("disabled", busy);
	}
}

/** Whether a refused text can be corrected in the editor. @param {string} text @param {Problem[]} problems */
function isCorrectable(text, problems) {
	return (
		Boolean(text) &&
		problems.every((problem) => problem.line) &&
		!text.split("\n").some((line) => line.length > LONGEST_LINE)
	);
}

/** A problem as a sentence: capitalised, with a full stop. @param {string} problem */
function asSentence(problem) {
	const whole = /[.。!?]$/.test(problem) ? problem : `${problem}${/[\u3000-\u9fff]/.test(problem) ? "。" : "."}`;
	return whole[0].toUpperCase() + whole.slice(1);
}

/** Packs the unchanged text for sending. @param {string} typed @returns {Promise<Made>} */
async function packTyped(typed) {
	const text = new Blob([typed]);
	const packed = await new Response(text.stream().pipeThrough(new CompressionStream("gzip"))).blob();
	return { packed, size: text.size, asTyped: true, typed, names: null };
}

/**
 * Shows what the import changed, until it is closed, and the table of replaced names for download.
 * @param {string[]} notes
 * @param {object | null} [names]
 */
function showNotes(notes, names = null) {
	const place = element("import-notes");
	place.hidden = !notes.length;
	const close = button(() => (place.hidden = true), { class: "button plain" }, t("intake.close"));
	patch(place, [
		h(
			"details",
			null,
			h("summary", null, t("intake.notes", { n: notes.length })),
			h("ul", null, ...notes.map((note, i) => h("li", { key: String(i) }, note))),
		),
		...(names ? [namesLink(names)] : []),
		close,
	]);
}

/** A link to download the table of names, which is stored nowhere else. @param {object} names */
function namesLink(names) {
	const file = new Blob([`${JSON.stringify(names, null, 1)}\n`], { type: "application/json" });
	const link = { class: "button", href: URL.createObjectURL(file), download: "kschedui-names.json" };
	return h("p", null, t("intake.names"), " ", h("a", link, t("intake.names.save")));
}
