// @ts-check
/** The only script that is not a module, because modules wait for the first paint: it subscribes to the run. */

(() => {
	/** @type {{run: string, ws: string, chunk: string, chunks: number[]}} */
	const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");
	const fragment = /^#(\d+)/.exec(location.hash)?.[1];
	const step = Number(fragment ?? new URLSearchParams(location.search).get("step"));
	/** The chunk that holds the linked step, or the last one so far. */
	const linkedChunk = Math.max(
		0,
		boot.chunks.findLastIndex((first) => first <= step),
	);
	const cursor = linkedChunk || (boot.chunk ? 1 : 0);
	const socket = new WebSocket(new URL(boot.ws, location.href.replace(/^http/, "ws")));
	const came = /** @type {any[]} */ ([]);
	socket.binaryType = "arraybuffer";
	socket.onmessage = ({ data }) => came.push(data);
	socket.onopen = () => socket.send(JSON.stringify({ type: "subscribe", run: boot.run, cursor }));
	Object.assign(globalThis, { kscheduiEarly: { boot, linkedChunk, socket, came } });
})();
