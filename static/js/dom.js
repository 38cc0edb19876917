// @ts-check
/** Draw a tree of plain descriptions onto the DOM. Elements with the same key and tag stay, so that CSS transitions run. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {object} Description
 * @property {string} tag
 * @property {string | undefined} key
 * @property {Record<string, any>} props
 * @property {Child[]} children
 */
/** @typedef {Description | string | number | null | undefined | false | any[]} Child */

/**
 * Describe an element. Props: `class`, `style` (an object; custom properties too), `key`, `on` (listeners by event),
 * `opaque` (its children are somebody else's), `value` and `checked` as DOM properties, everything else as an attribute (null, undefined and false: absent).
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {Child[]} children
 * @returns {Description}
 */
export function h(tag, props, ...children) {
  return { tag, key: props?.key, props: props ?? {}, children };
}

/** @param {Child[]} children @param {(Description | string)[]} out */
function flatten(children, out = []) {
  for (const child of children) {
    if (Array.isArray(child)) flatten(child, out);
    else if (child !== null && child !== undefined && child !== false) {
      out.push(typeof child === "object" ? child : String(child));
    }
  }
  return out;
}

/** @param {any} node @param {Record<string, any>} next */
function setProps(node, next) {
  const last = node.__props ?? {};
  for (const name in last) if (!(name in next)) setProp(node, name, null, last[name]);
  for (const name in next) if (next[name] !== last[name]) setProp(node, name, next[name], last[name]);
  node.__props = next;
}

/** @param {any} node @param {string} name @param {any} value @param {any} before */
function setProp(node, name, value, before) {
  if (name === "key" || name === "opaque") return;
  if (name === "style") setStyle(node, value ?? {}, before ?? {});
  else if (name === "on") listen(node, value ?? {}, before ?? {});
  else if (name === "value" || name === "checked") node[name] = value ?? "";
  else if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : String(value));
}

/** @param {any} node @param {Record<string, any>} next @param {Record<string, any>} last */
function setStyle(node, next, last) {
  for (const name in last) if (!(name in next)) node.style.removeProperty(name);
  for (const name in next) if (next[name] !== last[name]) node.style.setProperty(name, next[name]);
}

/** Listeners are looked up when the event comes, so that a new closure costs nothing. */
function listen(/** @type {any} */ node, /** @type {any} */ next, /** @type {any} */ last) {
  node.__on = next;
  for (const name in next) {
    if (last[name]) continue;
    node.addEventListener(name, (/** @type {Event} */ event) => node.__on[name]?.(event));
  }
}

/**
 * Make `parent`'s children equal to the descriptions.
 * @param {Element} parent
 * @param {Child[]} children
 */
export function patch(parent, children) {
  const list = flatten(children);
  const old = new Map();
  for (const node of parent.childNodes) old.set(/** @type {any} */ (node).__key, node);
  const keys = list.map((item, index) =>
    typeof item === "string" ? `text:${index}` : `${item.tag}:${item.key ?? index}`,
  );
  const kept = new Set(keys);
  for (const [key, node] of old) if (!kept.has(key)) node.remove();
  let cursor = parent.firstChild;
  list.forEach((item, index) => {
    let node = old.get(keys[index]);
    if (!node) {
      node = create(parent, item);
      node.__key = keys[index];
    }
    if (node === cursor) cursor = node.nextSibling;
    else parent.insertBefore(node, cursor);
    if (typeof item === "string") {
      if (node.data !== item) node.data = item;
    } else {
      setProps(node, item.props);
      if (!item.props.opaque) patch(node, item.children);
    }
  });
}

/** @param {Element} parent @param {Description | string} item @returns {any} */
function create(parent, item) {
  if (typeof item === "string") return document.createTextNode(item);
  const svg = item.tag === "svg" || (parent.namespaceURI === SVG && parent.tagName !== "foreignObject");
  return svg ? document.createElementNS(SVG, item.tag) : document.createElement(item.tag);
}
