// @ts-nocheck
// What is drawn, without a browser: the elements that `patch` makes, and what a reader finds in them.

/** An element; `tag` is "" for a text. */
export class Drawn {
	constructor(tag, data) {
		Object.assign(this, { tag, data, childNodes: [], parentNode: null, className: "", dataset: {} });
		this.style = { setProperty() {}, removeProperty() {} };
		this.classList = { toggle() {} };
	}
	get firstChild() {
		return this.childNodes[0] ?? null;
	}
	get nextSibling() {
		const all = this.parentNode?.childNodes ?? [];
		return all[all.indexOf(this) + 1] ?? null;
	}
	insertBefore(node, before) {
		node.remove();
		this.childNodes.splice(before ? this.childNodes.indexOf(before) : this.childNodes.length, 0, node);
		node.parentNode = this;
	}
	remove() {
		const all = this.parentNode?.childNodes;
		if (all) all.splice(all.indexOf(this), 1);
		this.parentNode = null;
	}
	contains() {
		return false;
	}
	setAttribute(name, value) {
		if (name === "class") this.className = value;
	}
	removeAttribute() {}
	addEventListener() {}
	append(...nodes) {
		for (const node of nodes) this.insertBefore(node, null);
	}
	replaceChildren(...nodes) {
		this.childNodes = [];
		this.append(...nodes);
	}
	/** The first element that has the class; by other selectors, such as "canvas", none is found. */
	querySelector(selector) {
		return (selector.startsWith(".") && this.all(selector.slice(1))[0]) || null;
	}
	set textContent(text) {
		this.replaceChildren(new Drawn("", text));
	}
	/** The props with which it was described. */
	get props() {
		return this.__props ?? {};
	}
	/** Whether it has this class. */
	is(name) {
		return this.className.split(" ").includes(name);
	}
	/** The words in it. */
	get text() {
		return this.tag ? this.childNodes.map((child) => child.text).join("") : this.data;
	}
	/** The elements in it that have this class. */
	all(name) {
		return this.childNodes.flatMap((child) => [...(child.is(name) ? [child] : []), ...child.all(name)]);
	}
	click() {
		this.props.on.click({});
	}
}

globalThis.document = {
	createElement: (tag) => new Drawn(tag),
	createElementNS: (_, tag) => new Drawn(tag),
	createTextNode: (data) => new Drawn("", data),
	activeElement: null,
};

/** An element that `draw` has drawn the view into. */
export function drawn(draw, view) {
	const target = new Drawn("main");
	draw(target, view);
	return target;
}

/** An explainer without explanations. */
export const SILENT = { request() {}, filter: () => null, score: () => null, requestsAhead: () => null };
