// @ts-check
/** On stage: the whole screen, a caption for the last row, the queue as counts, a light at the pointer. */

const REST_MS = 2500; // the light goes out when the pointer rests

/** @type {HTMLElement | null} */
let light = null;
let rest = 0;

/** Begin, or end. */
export function present() {
	const on = document.body.classList.toggle("presenting");
	if (on) begin();
	else end();
	dispatchEvent(new Event("resize"));
}

function begin() {
	light ??= document.createElement("div");
	light.className = "spotlight";
	light.setAttribute("aria-hidden", "true");
	document.body.append(light);
	addEventListener("pointermove", follow);
	document.addEventListener("fullscreenchange", left);
	void document.documentElement.requestFullscreen?.().catch(() => {}); // without it the page alone is large
}

function end() {
	removeEventListener("pointermove", follow);
	document.removeEventListener("fullscreenchange", left);
	light?.remove();
	if (document.fullscreenElement) void document.exitFullscreen();
}

/** Escape leaves the whole screen, and with it the presentation. */
function left() {
	if (!document.fullscreenElement && document.body.classList.contains("presenting")) present();
}

/** @param {PointerEvent} event */
function follow({ clientX, clientY }) {
	light?.style.setProperty("transform", `translate(${clientX}px, ${clientY}px)`);
	light?.classList.add("on");
	clearTimeout(rest);
	rest = setTimeout(() => light?.classList.remove("on"), REST_MS);
}
