// The bundle's types are not checked; the editor treats it as any.
export const basicSetup: any, EditorState: any, StateEffect: any, StateField: any, Compartment: any, EditorView: any;
export const Decoration: any, WidgetType: any, keymap: any, indentWithTab: any, yaml: any, HighlightStyle: any;
export const syntaxHighlighting: any, indentUnit: any, autocompletion: any, setDiagnostics: any, lintGutter: any;
export const forEachDiagnostic: any, tags: any, undo: any, redo: any;
