// @ts-check
/** Private notes at the steps of a version: read once, and written a moment after the last letter. */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { get, read } from "../shared/server.js";

const REST = 700; // milliseconds after the last letter
const LONGEST = 2000;

export class Notes {
	/** @param {string} address @param {() => void} changed */
	constructor(address, changed) {
		this.address = address;
		this.changed = changed;
		/** @type {Map<number, string>} by step */
		this.kept = new Map();
		this.step = -1;
		/** @type {{step: number, text: string} | null} not sent yet */
		this.unsent = null;
		this.due = 0;
		this.news = "";
		addEventListener("pagehide", () => void this.send());
	}

	async load() {
		try {
			for (const { step, text } of await get(this.address)) this.kept.set(step, text);
		} catch {
			this.news = t("speaker.notes.lost");
		}
	}

	/** Whoever is writing stays at that step. @param {Element} target @param {number} now the step on screen */
	draw(target, now) {
		const writing = document.hasFocus() && document.activeElement?.id === "note";
		const step = writing ? this.step : now;
		if (step !== this.step) {
			void this.send();
			this.news = "";
		}
		this.step = step;
		const input = (/** @type {any} */ event) => this.write(step, event.target.value);
		patch(target, [
			h("label", { key: "label", for: "note" }, t("speaker.note", { step })),
			h("textarea", {
				key: `note${step}`,
				id: "note",
				rows: "4",
				maxlength: String(LONGEST),
				value: this.unsent?.step === step ? this.unsent.text : (this.kept.get(step) ?? ""),
				placeholder: t("speaker.note.none"),
				on: { input, blur: () => void this.send().then(this.changed) },
			}),
			h("p", { key: "news", class: "muted small", role: "status" }, this.news || t("speaker.notes.about")),
		]);
	}

	/** @param {number} step @param {string} text */
	write(step, text) {
		this.unsent = { step, text };
		this.news = "";
		clearTimeout(this.due);
		this.due = setTimeout(() => void this.send(), REST);
	}

	async send() {
		const { unsent } = this;
		clearTimeout(this.due);
		if (!unsent) return;
		this.unsent = null;
		const { step, text } = unsent;
		if (text.trim()) this.kept.set(step, text);
		else this.kept.delete(step);
		const token = /** @type {HTMLInputElement} */ (document.querySelector("input[name=csrfmiddlewaretoken]")).value;
		const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
		const body = JSON.stringify({ text });
		try {
			const sent = await fetch(`${this.address}/${step}`, { method: "PUT", headers, body, keepalive: true });
			const { status, body: said } = await read(sent);
			this.news = status === 200 ? t("speaker.notes.saved") : said.errors[0].message;
		} catch {
			this.unsent ??= unsent; // the next letter tries again
			this.news = t("speaker.notes.lost");
		}
		this.changed();
	}
}
