// @ts-check
/**
 * The one script that is no module, since modules wait for the first paint: it connects to the run. A link to no step
 * asks for the first chunk too; which one holds a step is for feed.js to say, which takes over what is here.
 */

(() => {
	const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");
	const socket = new WebSocket(new URL(boot.ws, location.href.replace(/^http/, "ws")));
	const middle = /^#[1-9]|[?&]step=/.test(location.hash || location.search);
	const early = { socket, asked: false, came: /** @type {any[]} */ ([]) };
	socket.binaryType = "arraybuffer";
	socket.onmessage = ({ data }) => early.came.push(data);
	socket.onopen = () => {
		early.asked = !middle;
		if (early.asked) socket.send(JSON.stringify({ type: "subscribe", run: boot.run, cursor: 0 }));
	};
	// What the step most likely needs: a run begins with its cluster, and most that is linked to is of a cycle.
	if (middle) void import("../steps/filter/lanes.js");
	else
		void Promise.all([
			import("../steps/cluster/view.js"),
			import("../steps/cluster/captions.js"),
			import("../steps/cluster/explanation.js"),
		]);
	Object.assign(globalThis, { kscheduiEarly: early });
})();
