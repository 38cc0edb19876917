// @ts-check
/**
 * "Save picture": the step on screen as a self-contained SVG with the page's computed styles, or as a PNG.
 */

/** The styles that a picture keeps. */
const KEPT = [
	"align-items",
	"align-self",
	"background-color",
	"background-image",
	"background-position",
	"background-repeat",
	"background-size",
	"border-bottom",
	"border-collapse",
	"border-left",
	"border-radius",
	"border-right",
	"border-spacing",
	"border-top",
	"bottom",
	"box-shadow",
	"box-sizing",
	"clip-path",
	"color",
	"column-gap",
	"display",
	"fill",
	"flex",
	"flex-direction",
	"flex-wrap",
	"font-family",
	"font-size",
	"font-style",
	"font-variant-numeric",
	"font-weight",
	"gap",
	"grid-area",
	"grid-template-areas",
	"grid-template-columns",
	"grid-template-rows",
	"grid-auto-rows",
	"height",
	"justify-content",
	"left",
	"letter-spacing",
	"line-height",
	"list-style",
	"margin",
	"max-width",
	"min-height",
	"min-width",
	"opacity",
	"order",
	"outline",
	"outline-offset",
	"overflow",
	"padding",
	"place-items",
	"position",
	"right",
	"stroke",
	"stroke-dasharray",
	"stroke-width",
	"text-align",
	"text-decoration",
	"text-anchor",
	"text-overflow",
	"top",
	"transform",
	"vertical-align",
	"visibility",
	"white-space",
	"width",
	"z-index",
];

const LOOK = "data-look"; // becomes `style` in the text: the page's policy forbids style attributes

/**
 * A copy of an element with its computed styles; null for dialogs, notices and elements that are not displayed.
 * @param {Element} element @returns {Node | null}
 */
function styledCopy(element) {
	const look = getComputedStyle(element);
	if (look.display === "none" || element instanceof HTMLDialogElement || element.id === "notices") return null;
	const copy = /** @type {HTMLElement} */ (element.cloneNode(false));
	for (const name of [...copy.getAttributeNames()])
		if (/^(on|data-|aria-|class$|href$|id$|style$)/.test(name)) copy.removeAttribute(name);
	copy.setAttribute(LOOK, styleOf(look));
	copy.append(...pseudoElement(element, "::before"));
	for (const child of element.childNodes) {
		const inner =
			child instanceof Element ? styledCopy(child) : child.nodeType === Node.TEXT_NODE ? child.cloneNode() : null;
		if (inner) copy.append(inner);
	}
	copy.append(...pseudoElement(element, "::after"));
	return element instanceof HTMLCanvasElement ? canvasImage(element) : copy;
}

/**
 * The computed style as text, without scroll bars, which a picture does not need.
 * @param {CSSStyleDeclaration} look
 */
function styleOf(look) {
	return KEPT.map(
		(name) =>
			`${name}:${name === "overflow" ? look.overflow.replace(/auto|scroll/g, "hidden") : look.getPropertyValue(name)}`,
	).join(";");
}

/**
 * A pseudo-element as an element, such as a line between extension points; empty if nothing is drawn.
 * @param {Element} element
 * @param {"::before" | "::after"} selector
 * @returns {Element[]}
 */
function pseudoElement(element, selector) {
	const look = getComputedStyle(element, selector);
	if (look.content === "none" || look.content === "normal" || look.display === "none") return [];
	const drawn = document.createElement("span");
	drawn.setAttribute(LOOK, styleOf(look));
	drawn.textContent = /^"(.*)"$/.exec(look.content)?.[1] ?? "";
	return [drawn];
}

/** An image of what a canvas shows, in its size. @param {HTMLCanvasElement} canvas */
function canvasImage(canvas) {
	const image = document.createElement("img");
	image.setAttribute("src", canvas.toDataURL());
	image.setAttribute(LOOK, `width:${canvas.clientWidth}px;height:${canvas.clientHeight}px`);
	return image;
}

/** The text of a style element with the page's font; "" if it has none, or the font cannot be loaded. */
async function fontStyle() {
	const face = [...document.styleSheets]
		.flatMap((sheet) => [...sheet.cssRules])
		.find((rule) => rule instanceof CSSFontFaceRule);
	const source = face instanceof CSSFontFaceRule ? /url\("([^"]+)"\)/.exec(face.cssText)?.[1] : undefined;
	if (!source) return "";
	const base = face?.parentStyleSheet?.href ?? location.href;
	const answer = await fetch(new URL(source, base)).catch(() => null);
	if (!answer?.ok) return ""; // a picture in another font is better than none
	const bytes = new Uint8Array(await answer.arrayBuffer());
	const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
	const font = `url(data:font/woff2;base64,${text})`;
	return `<style>@font-face{font-family:"Source Sans 3";font-weight:200 900;src:${font}}</style>`;
}

/** An element of the page as SVG text. @param {Element} root */
export async function pictureOf(root) {
	const { width, height } = root.getBoundingClientRect();
	const body = new XMLSerializer()
		.serializeToString(/** @type {Node} */ (styledCopy(root)))
		.replaceAll(` ${LOOK}="`, ' style="');
	const ground = getComputedStyle(document.body).backgroundColor;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
		await fontStyle(),
		`<rect width="100%" height="100%" fill="${ground}"/>`,
		`<foreignObject width="100%" height="100%">${body}</foreignObject></svg>`,
	].join("");
}

/** Downloads the file at a URL under a name. @param {string} url @param {string} name */
function download(url, name) {
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
}

/**
 * Resolves with the link to the step once it is completely drawn.
 * @param {HTMLElement} root
 * @returns {Promise<string>}
 */
function fullyDrawn(root) {
	return new Promise((resolve) => {
		const look = () => {
			if (root.dataset.ready === undefined) return;
			watcher.disconnect();
			resolve(root.dataset.ready);
		};
		const watcher = new MutationObserver(look);
		watcher.observe(root, { attributeFilter: ["data-ready"] });
		look();
	});
}

/** Downloads a picture of the player; a PNG has two pixels for each of the page. @param {"svg" | "png"} kind */
export async function savePicture(kind) {
	const root = /** @type {HTMLElement | null} */ (document.querySelector("#player"));
	if (!root) return;
	const link = await fullyDrawn(root);
	const svg = await pictureOf(root);
	const url = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
	const name = `kschedui-${link.slice(1).split("&")[0]}`;
	if (kind === "svg") return download(URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })), `${name}.svg`);
	const image = new Image();
	await new Promise((resolve, reject) => Object.assign(image, { onload: resolve, onerror: reject, src: url }));
	const canvas = document.createElement("canvas");
	const scale = 2;
	canvas.width = image.width * scale;
	canvas.height = image.height * scale;
	canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
	download(canvas.toDataURL("image/png"), `${name}.png`);
}
