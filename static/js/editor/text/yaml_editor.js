// @ts-check
/** The text area: CodeMirror 6 with YAML, problems under their lines, completion of fields and values. */
import * as cm from "../../../vendor/codemirror/codemirror.js";
import { difference } from "../form/documents.js";
import { completions } from "./completion.js";
import { problemLines, showProblems } from "./problem_lines.js";
import { selectorLines, showMatches } from "./selector_lines.js";

/** @typedef {import("../../shared/server.js").Problem} Problem */

const theme = {
	"&": { height: "100%", fontSize: "14px", backgroundColor: "var(--panel)", color: "var(--ink)" },
	".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
	".cm-content": { caretColor: "var(--ink)" },
	"&.cm-focused": { outline: "none" },
	".cm-cursor": { borderLeftColor: "var(--ink)" },
	".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--ink3)", border: "0" },
	".cm-activeLineGutter": { backgroundColor: "var(--sunk)" },
	// transparent, since the selection is below it
	".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--sunk) 60%, transparent)" },
	"&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
		backgroundColor: "color-mix(in srgb, var(--accent) 45%, transparent)",
	},
	".cm-tooltip, .cm-panels": {
		backgroundColor: "var(--panel)",
		color: "var(--ink)",
		borderColor: "var(--line2)",
		fontFamily: "var(--font)",
		fontSize: "15px",
	},
	".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--sunk)", color: "var(--ink)" },
	".cm-diagnostic-error": { borderLeftColor: "var(--no)" },
	".problem-line": {
		display: "flex",
		gap: "12px",
		alignItems: "center",
		padding: "4px 12px",
		borderLeft: "3px solid var(--no)",
		backgroundColor: "var(--no-soft)",
		color: "var(--no)",
		fontFamily: "var(--font)",
		fontSize: "15px",
		fontWeight: "600",
		whiteSpace: "normal",
	},
	".problem-line.warning": {
		borderLeftColor: "var(--accent-edge)",
		backgroundColor: "var(--accent-soft)",
		color: "var(--ink)",
	},
	".problem-line button": {
		marginLeft: "auto",
		flexShrink: "0",
		padding: "3px 12px",
		minHeight: "28px",
		border: "0",
		borderRadius: "6px",
		backgroundColor: "var(--ink)",
		color: "var(--bg)",
		font: "600 14px var(--font)",
		cursor: "pointer",
	},
	".match-line": {
		padding: "2px 12px",
		borderLeft: "3px solid var(--line2)",
		color: "var(--ink2)",
		fontFamily: "var(--font)",
		fontSize: "14px",
		whiteSpace: "normal",
	},
	".match-line.none": { borderLeftColor: "var(--no)", color: "var(--no)" },
	".cm-diagnosticAction": {
		backgroundColor: "var(--ink)",
		color: "var(--bg)",
		borderRadius: "6px",
		padding: "2px 10px",
	},
};

/** The colours of the text. */
const colours = () =>
	cm.HighlightStyle.define([
		{ tag: [cm.tags.propertyName, cm.tags.definition(cm.tags.propertyName)], color: "var(--s0)" },
		{ tag: [cm.tags.string, cm.tags.content], color: "var(--ink)" },
		{ tag: [cm.tags.number, cm.tags.bool, cm.tags.null], color: "var(--s4)" },
		{ tag: cm.tags.comment, color: "var(--ink3)", fontStyle: "italic" },
		{ tag: [cm.tags.separator, cm.tags.punctuation, cm.tags.meta], color: "var(--ink3)" },
	]);

/**
 * Creates the YAML editor in `host`. `onChange` receives each text that the author types; `write` does not call it. The
 * editor is in a shadow root, since the page's content security policy allows no inline style element.
 * @param {HTMLElement} host @param {{text: string, label: string, catalogue: any, fixLabel: string, onChange: (text:
 *   string) => void, onRun: () => void}} options
 */
export function yamlEditor(host, { text, label, catalogue, fixLabel, onChange, onRun }) {
	const root = host.attachShadow({ mode: "open" });
	let quiet = false;
	/** Runs the text; true: the key is handled. */
	const runText = () => {
		onRun();
		return true;
	};
	const view = new cm.EditorView({
		root,
		parent: root,
		doc: text,
		extensions: [
			cm.basicSetup,
			cm.yaml(),
			cm.indentUnit.of("  "),
			cm.lintGutter(),
			problemLines.extension,
			selectorLines.extension,
			cm.EditorView.lineWrapping,
			cm.keymap.of([{ key: "Mod-Enter", run: runText }]),
			cm.autocompletion({ override: [completions(catalogue)], icons: false }),
			cm.EditorView.theme(theme),
			cm.syntaxHighlighting(colours()),
			cm.EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
			cm.EditorView.updateListener.of(
				(/** @type {any} */ update) => update.docChanged && !quiet && onChange(view.state.doc.toString()),
			),
		],
	});
	return {
		text: () => view.state.doc.toString(),
		focus: () => view.focus(),
		lineOfCursor: () => view.state.doc.lineAt(view.state.selection.main.head).number,
		/** Replaces the text without calling `onChange`; the change can be undone. @param {string} next */
		write(next) {
			quiet = true;
			view.dispatch({ changes: difference(view.state.doc.toString(), next) });
			quiet = false;
		},
		undo: () => cm.undo(view),
		redo: () => cm.redo(view),
		/** Shows errors and warnings in the text. @param {Problem[]} errors @param {Problem[]} warnings */
		show(errors, warnings) {
			const marks = [
				...errors.map((problem) => diagnostic(view, problem, "error", fixLabel)),
				...warnings.map((problem) => diagnostic(view, problem, "warning", fixLabel)),
			];
			marks.sort((a, b) => a.from - b.from);
			view.dispatch(cm.setDiagnostics(view.state, marks));
			showProblems(view, marks);
		},
		/** Shows the matches below their selectors. @param {import("./selector_lines.js").Matches[]} matches */
		showMatches: (matches) => showMatches(view, matches),
		/**
		 * Selects the wrong text on the problem's line, or the whole line.
		 * @param {Problem} problem of which only the line is needed
		 */
		goTo(problem) {
			const { from, to } = diagnostic(view, problem, "", "");
			view.dispatch({
				selection: { anchor: from, head: to },
				effects: cm.EditorView.scrollIntoView(from, { y: "center" }),
			});
			view.focus();
		},
	};
}

/**
 * The diagnostic of a problem. It marks the wrong value, the path's last word, or the whole line, and has an action if
 * a correction is known.
 * @param {any} view
 * @param {Problem} problem
 * @param {string} severity
 * @param {string} fixLabel
 */
function diagnostic(view, problem, severity, fixLabel) {
	const line = view.state.doc.line(Math.min(Math.max(problem.line || 1, 1), view.state.doc.lines));
	const word =
		(problem.path ?? "")
			.replace(/\[\d+\]$/, "")
			.split(".")
			.pop() ?? "";
	const quoted = parseString(problem.fix?.value);
	const shown = quoted && line.text.includes(quoted) ? quoted : word;
	const column = shown ? line.text.indexOf(shown) : -1;
	const from = line.from + (column >= 0 ? column : line.text.length - line.text.trimStart().length);
	const to = column >= 0 ? from + shown.length : line.to;
	const better = parseString(problem.fix?.instead);
	const actions =
		better && column >= 0
			? [
					{
						name: `${fixLabel}: ${better}`,
						apply: (/** @type {any} */ target, /** @type {number} */ a, /** @type {number} */ b) =>
							target.dispatch({ changes: { from: a, to: b, insert: better } }),
					},
				]
			: [];
	return {
		from,
		to: Math.max(to, from),
		severity,
		message: problem.path ? `${problem.path}: ${problem.message}` : problem.message,
		actions,
	};
}

/** Parses a JSON string; "" for anything else. @param {string | undefined} json */
function parseString(json) {
	try {
		const value = JSON.parse(json ?? "null");
		return typeof value === "string" ? value : "";
	} catch {
		return ""; // a long value, which was cut
	}
}
