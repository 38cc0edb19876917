// @ts-check
/**
 * The only script that is not a module, because modules wait for the first paint: it connects unless the page
 * brought the
 * chunk. Which chunk holds a step is for feed.js to say, which takes over.
 */

(() => {
	const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");
	const middle = /^#[1-9]|[?&]step=/.test(location.hash || location.search);
	if (!middle && boot.chunk) return;
	const socket = new WebSocket(new URL(boot.ws, location.href.replace(/^http/, "ws")));
	const early = { socket, asked: false, came: /** @type {any[]} */ ([]) };
	socket.binaryType = "arraybuffer";
	socket.onmessage = ({ data }) => early.came.push(data);
	socket.onopen = () => {
		early.asked = !middle;
		if (early.asked) socket.send(JSON.stringify({ type: "subscribe", run: boot.run, cursor: 0 }));
	};
	Object.assign(globalThis, { kscheduiEarly: early });
})();
