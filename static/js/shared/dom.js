// @ts-check
/**
 * Draws a tree of plain descriptions onto the DOM. Elements with the same key and tag stay, so that CSS transitions
 * run.
 */

/** The widest page, in pixels, that is laid out as on a phone: the first breakpoint of css/tokens.css. */
export const PHONE = 700;

const SVG = "http://www.w3.org/2000/svg";

/**
 * Describes an element. Props: `class`, `style` (an object; custom properties too), `key`, `on` (listeners by event),
 * `opaque` (its children are not changed here), `value` and `checked` as DOM properties, everything else as an
 * attribute (null, undefined and false: absent).
 * @param {string} tag @param {Record<string, any> | null} [props] @param {Child[]} children @returns {Description}
 */
export function h(tag, props, ...children) {
	return { tag, key: props?.key, props: props ?? {}, children };
}

/**
 * Describes a button that submits no form.
 * @param {(event: any) => unknown} click @param {Record<string, any> | null} props @param {Child[]} children
 */
export function button(click, props, ...children) {
	return h("button", { type: "button", ...props, on: { click } }, ...children);
}

/**
 * The children in one list, without null, undefined and false; numbers become text.
 * @param {Child[]} children @param {(Description | string)[]} out
 */
function flatten(children, out = []) {
	for (const child of children) {
		if (Array.isArray(child)) flatten(child, out);
		else if (child !== null && child !== undefined && child !== false) {
			out.push(typeof child === "object" ? child : String(child));
		}
	}
	return out;
}

/** Applies the props that differ from the previous draw's. @param {any} node @param {Record<string, any>} next */
function setProps(node, next) {
	const last = node.__props ?? {};
	for (const name in last) if (!(name in next)) setProp(node, name, null, last[name]);
	for (const name in next) if (next[name] !== last[name]) setProp(node, name, next[name], last[name]);
	node.__props = next;
}

/**
 * Sets one prop as a style, a listener, a DOM property or an attribute; null, undefined and false remove an attribute.
 * @param {any} node @param {string} name @param {any} value @param {any} before
 */
function setProp(node, name, value, before) {
	if (name === "key" || name === "opaque") return;
	if (name === "style") setStyle(node, value ?? {}, before ?? {});
	else if (name === "on") listen(node, value ?? {});
	else if (name === "value" || name === "checked") node[name] = value ?? "";
	else if (value === null || value === undefined || value === false) node.removeAttribute(name);
	else node.setAttribute(name, value === true ? "" : String(value));
}

/**
 * Applies the styles that differ.
 * @param {any} node @param {Record<string, any>} next @param {Record<string, any>} last
 */
function setStyle(node, next, last) {
	for (const name in last) if (!(name in next)) node.style.removeProperty(name);
	for (const name in next) if (next[name] !== last[name]) node.style.setProperty(name, next[name]);
}

/**
 * Sets the listeners. They are looked up when an event occurs, so that a new closure costs nothing.
 * @param {any} node @param {Record<string, any>} next
 */
function listen(node, next) {
	node.__on = next;
	node.__heard ??= new Set();
	for (const name in next) {
		if (node.__heard.has(name)) continue;
		node.__heard.add(name);
		node.addEventListener(name, (/** @type {Event} */ event) => node.__on[name]?.(event));
	}
}

/**
 * Whether this draw is without motion: elements may then be reused for others with the same tag, which is cheaper
 * than creating them.
 */
let still = false;

/** Sets whether draws are without motion. @param {boolean} on */
export function drawStill(on) {
	still = on;
}

/**
 * Makes `parent`'s children equal to the descriptions.
 * @param {Element} parent @param {Child[]} children
 */
export function patch(parent, children) {
	const list = flatten(children);
	/** @type {any} */
	let cursor = parent.firstChild;
	/** @type {Map<string, any> | null} the children that are kept, once their order differs */
	let reusable = null;
	for (let i = 0; i < list.length; i += 1) {
		const item = list[i];
		const text = typeof item === "string";
		const tag = text ? "" : item.tag;
		const key = text ? i : (item.key ?? i);
		let node = cursor;
		if (!cursor || cursor.__key !== key || cursor.__tag !== tag) {
			reusable ??= keptFrom(cursor, list, i);
			node = reusable.get(`${tag}:${key}`);
			while (cursor && !reusable.has(`${cursor.__tag}:${cursor.__key}`)) {
				const gone = cursor;
				cursor = gone.nextSibling;
				if (!node && still && !text && mayBecome(gone, item)) {
					node = gone;
					break;
				}
				gone.remove();
			}
			node ??= create(parent, item);
			node.__tag = tag;
			node.__key = key;
			if (node !== cursor && (node.nextSibling !== cursor || node.parentNode !== parent))
				parent.insertBefore(node, cursor);
		}
		if (node === cursor) cursor = node.nextSibling;
		if (typeof item === "string") {
			if (node.data !== item) node.data = item;
		} else {
			setProps(node, item.props);
			if (!item.props.opaque) patch(node, item.children);
		}
	}
	while (cursor) {
		const gone = cursor;
		cursor = gone.nextSibling;
		gone.remove();
	}
}

/** Whether an existing node can be changed into the item. @param {any} node @param {Description} item */
function mayBecome(node, item) {
	return (
		node.__tag === item.tag && !item.props.opaque && !node.__props.opaque && !node.contains(document.activeElement)
	);
}

/**
 * The children from `cursor` on that are also in the list from `i` on, by tag and key.
 * @param {any} cursor @param {(Description | string)[]} list @param {number} i
 */
function keptFrom(cursor, list, i) {
	const wanted = new Set();
	for (let at = i; at < list.length; at += 1) {
		const item = list[at];
		wanted.add(typeof item === "string" ? `:${at}` : `${item.tag}:${item.key ?? at}`);
	}
	const nodesByKey = new Map();
	for (let node = cursor; node; node = node.nextSibling) {
		const key = `${node.__tag}:${node.__key}`;
		if (wanted.has(key)) nodesByKey.set(key, node);
	}
	return nodesByKey;
}

/** Creates the DOM node for an item. @param {Element} parent @param {Description | string} item @returns {any} */
function create(parent, item) {
	if (typeof item === "string") return document.createTextNode(item);
	const svg = item.tag === "svg" || (parent.namespaceURI === SVG && parent.tagName !== "foreignObject");
	return svg ? document.createElementNS(SVG, item.tag) : document.createElement(item.tag);
}
