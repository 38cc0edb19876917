// What the editor takes from CodeMirror 6; see ../build_vendor.sh.
export { basicSetup } from "codemirror";
export { EditorState, StateEffect, StateField, Compartment } from "@codemirror/state";
export { EditorView, Decoration, WidgetType, keymap } from "@codemirror/view";
export { indentWithTab, undo, redo } from "@codemirror/commands";
export { yaml } from "@codemirror/lang-yaml";
export { HighlightStyle, syntaxHighlighting, indentUnit } from "@codemirror/language";
export { autocompletion } from "@codemirror/autocomplete";
export { setDiagnostics, lintGutter, forEachDiagnostic } from "@codemirror/lint";
export { tags } from "@lezer/highlight";
