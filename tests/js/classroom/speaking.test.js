// @ts-nocheck
// The speaker view also opens in a browser that forbids storage.
import assert from "node:assert/strict";
import { test } from "node:test";

const forbidden = () => {
	throw new DOMException("The operation is insecure.", "SecurityError");
};
const windows = [];
const channels = [];
Object.assign(globalThis, {
	window: { open: (...opened) => windows.push(opened) },
	location: new URL("http://here/s/a/v/1/"),
	BroadcastChannel: class {
		constructor(name) {
			channels.push(name);
		}
		postMessage() {}
	},
	document: {},
});
Object.defineProperty(globalThis, "sessionStorage", { get: forbidden, configurable: true });

test("without storage, the speaker view gets a name that is kept by the page", async () => {
	const { openSpeaker } = await import("../../../static/js/classroom/speaking.js");
	const page = {
		boot: { scenario: { id: "a" }, page: "/s/a/v/1/" },
		store: {},
		screen: { followers: new Set() },
		player: {},
		root: {},
		index: {},
	};
	openSpeaker(page);
	openSpeaker(page);
	assert.equal(windows.length, 2);
	assert.equal(windows[0][0], windows[1][0]);
	const [, name] = windows[0][0].split("#");
	assert.ok(name);
	assert.deepEqual(channels, [`kschedui.speaker.${name}`]);
});
