// @ts-check
/**
 * A challenge in the editor: evaluates the answer, lists the variants that it solves, and can play the first one
 * that it does not.
 */
import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { keepTry, triesOf } from "../shared/progress.js";
import { post, request } from "../shared/server.js";

/** @typedef {{number: number, title: string, holds: boolean, held: number, seeds: number}} Variant */
/** @typedef {{number: number, seed: number | null, unmet: string[], text: string}} Failure */
/** @typedef {{solved: boolean, held: number, variants: Variant[], first: Failure | null}} Judged */

/**
 * @typedef {object} Page
 * @property {string} api
 * @property {() => Promise<string | null>} answer the text, null while it has errors
 * @property {() => void} draw
 * @property {(waiting: import("../shared/server.js").Waiting) => void} onWait
 * @property {(errors: import("../shared/server.js").Problem[]) => void} refuse
 */

export class Challenge {
	/** @param {HTMLElement} section @param {Page} page */
	constructor(section, page) {
		this.page = page;
		this.data = /** @type {Record<string, string>} */ (section.dataset);
		this.name = /** @type {HTMLInputElement | null} */ (section.querySelector("input"));
		this.button = /** @type {HTMLButtonElement} */ (section.querySelector("button"));
		/** @type {Judged | null} */
		this.judged = null;
		this.text = ""; // the text that was judged
		this.button.addEventListener("click", () => this.judge());
	}

	/** Has the server try the scenario in all variants, and shows the result. */
	async judge() {
		if (this.button.disabled) return;
		this.button.disabled = true;
		try {
			const text = await this.page.answer();
			if (text === null) return;
			const name = this.name ? { name: this.name.value } : {};
			const { body } = await post(this.data.judge, { text, ...name }, { onWait: this.page.onWait });
			if (body.errors) return this.page.refuse(body.errors);
			this.judged = body;
			this.text = text;
			keepTry(this.data.key, { held: body.held, of: body.variants.length, solved: body.solved });
		} finally {
			this.button.disabled = false;
			this.page.draw();
			const card = document.getElementById("verdicts"); // below the text on a phone
			if (this.judged && card && card.getBoundingClientRect().top > innerHeight / 2) card.scrollIntoView();
		}
	}

	/** Runs the first variant that is not solved, and opens it in the player. @param {Failure} failure */
	async play(failure) {
		const { body } = await post(`${this.page.api}preview`, { text: failure.text }, { onWait: this.page.onWait });
		if (body.errors) return this.page.refuse(body.errors);
		const { body: run } = await request(`${this.page.api}runs/${body.run}`);
		if (run.errors) return this.page.refuse(run.errors);
		location.assign(`/s/${run.scenario.id}/v/${run.scenario.version}/`);
	}

	/** The results of the variants, or of earlier tries. @param {string} text as it is now */
	view(text) {
		const tries = triesOf(this.data.key);
		const judged = this.judged;
		return h(
			"div",
			{ class: "card verdicts", id: "verdicts" },
			h("h2", null, t("challenge.variants")),
			h("p", { role: "status" }, judged ? summary(judged) : earlierTries(tries, Number(this.data.variants))),
			judged && text !== this.text ? h("p", { class: "stale" }, t("challenge.outdated")) : null,
			judged ? h("ol", null, ...judged.variants.map(variantRow)) : null,
			judged?.first ? this.failure(judged.first) : null,
		);
	}

	/** The part that says why the first failing variant fails, with a button that plays it. @param {Failure} failure */
	failure(failure) {
		const play = { type: "button", class: "button", id: "play-variant", on: { click: () => this.play(failure) } };
		return h(
			"div",
			{ class: "first-failure" },
			h("h3", null, t("challenge.why", { n: failure.number })),
			h("ul", null, ...failure.unmet.map((sentence) => h("li", null, sentence))),
			failure.seed === null ? null : h("p", { class: "muted small" }, t("challenge.seed", { seed: failure.seed })),
			h("button", play, t("challenge.play", { n: failure.number })),
		);
	}
}

/** The sentence for the result of the last try. @param {Judged} judged */
function summary({ solved, held, variants }) {
	return solved
		? h("b", { class: "yes" }, `✓ ${t("challenge.solved")}`)
		: t("challenge.held", { held, of: variants.length });
}

/**
 * The sentence for earlier tries.
 * @param {import("../shared/progress.js").Tries | null} tries @param {number} variants
 */
function earlierTries(tries, variants) {
	if (!tries) return t("challenge.none", { n: variants });
	return tries.solvedIn ? `✓ ${t("challenge.before", { n: tries.solvedIn })}` : t("challenge.best", { ...tries });
}

/** The result of one variant. @param {Variant} variant */
function variantRow({ number, title, holds, held, seeds }) {
	const name = number === 1 ? t("challenge.open") : title || t("challenge.hidden");
	return h(
		"li",
		{ key: String(number) },
		h("span", { class: holds ? "yes" : "no" }, holds ? `✓ ${t("challenge.holds")}` : `✕ ${t("challenge.fails")}`),
		" ",
		name,
		holds || seeds === 1 ? null : h("span", { class: "muted small" }, ` ${t("challenge.seeds", { held, seeds })}`),
	);
}
