// @ts-check
/** Problems in words under their lines, each with the button that fixes it where we know how. */
import * as cm from "../../../vendor/codemirror/codemirror.js";

const SHOWN = 20; // more would push the text apart

/**
 * @typedef {{from: number, to: number, severity: string, message: string, actions: {name: string, apply: (view: any,
 *   from: number, to: number) => void}[]}} Mark
 */

const set = cm.StateEffect.define();

/** The extension that keeps and draws them; an edit moves them along until the next check. */
export const problemLines = cm.StateField.define({
	create: () => cm.Decoration.none,
	update(/** @type {any} */ lines, /** @type {any} */ transaction) {
		const next = transaction.effects.findLast((/** @type {any} */ effect) => effect.is(set));
		return next ? next.value : lines.map(transaction.changes);
	},
	provide: (/** @type {any} */ field) => cm.EditorView.decorations.from(field),
});

/** @param {any} view @param {Mark[]} marks in order of place */
export function showProblems(view, marks) {
	const widgets = marks
		.slice(0, SHOWN)
		.map((mark) =>
			cm.Decoration.widget({ widget: new ProblemLine(mark), side: 1, block: true }).range(
				view.state.doc.lineAt(mark.to).to,
			),
		);
	view.dispatch({ effects: set.of(cm.Decoration.set(widgets, true)) });
}

class ProblemLine extends cm.WidgetType {
	/** @param {Mark} mark */
	constructor(mark) {
		super();
		this.mark = mark;
	}

	/** @param {ProblemLine} other */
	eq(other) {
		return other.mark.message === this.mark.message && other.mark.from === this.mark.from;
	}

	/** @param {any} view */
	toDOM(view) {
		const line = document.createElement("div");
		line.className = `problem-line ${this.mark.severity}`;
		const text = document.createElement("span");
		text.textContent = this.mark.message;
		line.append(text);
		for (const { name, apply } of this.mark.actions) {
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = name;
			button.addEventListener("click", () => apply(view, this.mark.from, this.mark.to));
			line.append(button);
		}
		return line;
	}

	ignoreEvent() {
		return true;
	}
}
