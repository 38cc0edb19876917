// @ts-check
/** Shows problems under their lines, with a button that fixes them if a correction is known. */
import * as cm from "../../../vendor/codemirror/codemirror.js";

const SHOWN = 20; // more would push the text apart

/**
 * @typedef {{from: number, to: number, severity: string, message: string, actions: {name: string, apply: (view: any,
 *   from: number, to: number) => void}[]}} Mark
 */

/**
 * Draws widgets below lines of the text. The extension keeps them, and moves them as the text is edited; `show`
 * replaces them, each given with the end of its line.
 * @returns {{extension: any, show: (view: any, widgets: [number, any][]) => void}}
 */
export function linesBelow() {
	const set = cm.StateEffect.define();
	const extension = cm.StateField.define({
		create: () => cm.Decoration.none,
		update(/** @type {any} */ lines, /** @type {any} */ transaction) {
			const next = transaction.effects.findLast((/** @type {any} */ effect) => effect.is(set));
			return next ? next.value : lines.map(transaction.changes);
		},
		provide: (/** @type {any} */ field) => cm.EditorView.decorations.from(field),
	});
	return {
		extension,
		show: (view, widgets) => {
			const drawn = widgets.map(([end, widget]) => cm.Decoration.widget({ widget, side: 1, block: true }).range(end));
			view.dispatch({ effects: set.of(cm.Decoration.set(drawn, true)) });
		},
	};
}

export const problemLines = linesBelow();

/** Shows the first SHOWN problems, each below its line. @param {any} view @param {Mark[]} marks in order of place */
export function showProblems(view, marks) {
	problemLines.show(
		view,
		marks.slice(0, SHOWN).map((mark) => [view.state.doc.lineAt(mark.to).to, new ProblemLine(mark)]),
	);
}

class ProblemLine extends cm.WidgetType {
	/** @param {Mark} mark */
	constructor(mark) {
		super();
		this.mark = mark;
	}

	/** Whether both show the same problem at the same place. @param {ProblemLine} other */
	eq(other) {
		return other.mark.message === this.mark.message && other.mark.from === this.mark.from;
	}

	/** The element with the message, and a button for each correction. @param {any} view */
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

	/** Leaves clicks to the buttons. */
	ignoreEvent() {
		return true;
	}
}
