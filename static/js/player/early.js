// @ts-check
/**
 * The one script that is no module, since modules wait for the first paint: it asks for what the step will need, and
 * connects unless the page brought the chunk. Which chunk holds a step is for feed.js to say, which takes over.
 */

(() => {
	const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");
	const middle = /^#[1-9]|[?&]step=/.test(location.hash || location.search);
	// What the step most likely needs: a run begins with its cluster, and most that is linked to is of a cycle.
	if (middle) void import("../steps/filter/lanes.js");
	else {
		void import("../steps/cluster/view.js");
		void import("../steps/cluster/node_card.js");
		void import("../steps/cluster/outside_names.js");
		void import("../steps/filter/reasons.js");
		void import("../steps/parts/fact_words.js");
		void import("../steps/parts/panel.js");
		void import("../steps/parts/plain_words.js");
		void import("../steps/run/captions.js");
		void import("../steps/run/explanation.js");
		void import("../steps/score/model.js");
		void import("../trace/room.js");
		if (boot.chunk) return;
	}
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
