// @ts-nocheck
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawStill, h, patch } from "../../../static/js/shared/dom.js";
import { Drawn } from "../drawn.js";

/** An element that keeps its attributes and listeners. */
class FakeNode extends Drawn {
	attributes = {};
	heard = [];
	contains(other) {
		return other === this || this.childNodes.some((child) => child.contains(other));
	}
	setAttribute(name, value) {
		this.attributes[name] = value;
	}
	removeAttribute(name) {
		delete this.attributes[name];
	}
	addEventListener(name, heard) {
		this.heard.push([name, heard]);
	}
}

globalThis.document = {
	createElement: (tag) => new FakeNode(tag),
	createTextNode: (data) => new FakeNode("", data),
	activeElement: null,
};

const shown = (parent) => parent.childNodes.map((node) => (node.tag ? `${node.tag}${node.attributes.id}` : node.data));
const draw = (parent, ids, more = {}) =>
	patch(
		parent,
		ids.map((id) => h(id.startsWith("x") ? "i" : "b", { key: id, id, ...more })),
	);
const names = (ids) => ids.map((id) => `${id.startsWith("x") ? "i" : "b"}${id}`);

/** Yields pseudo-random orders of some letters, the same every time. */
function* orders(count) {
	let seed = 7;
	const next = (n) => (seed = (seed * 48271) % 2147483647) % n;
	for (let turn = 0; turn < count; turn += 1) {
		const all = ["a", "b", "c", "d", "e", "x1", "x2", "x3"];
		const some = [];
		for (let left = next(9); left > 0; left -= 1) some.push(...all.splice(next(all.length), 1));
		yield some;
	}
}

test("whatever came before, the children are as described, and a key keeps its element", () => {
	drawStill(false);
	const parent = new FakeNode("p");
	let before = new Map();
	for (const ids of orders(500)) {
		draw(parent, ids);
		assert.deepEqual(shown(parent), names(ids));
		const now = new Map(ids.map((id, i) => [id, parent.childNodes[i]]));
		for (const [id, node] of now) if (before.has(id)) assert.equal(node, before.get(id));
		const kept = new Set([...now].filter(([id]) => before.has(id)).map(([, node]) => node));
		for (const node of before.values())
			if (!kept.has(node)) assert.ok(!parent.childNodes.includes(node), "an element became another one");
		before = now;
	}
});

test("in a still draw an element may become another of its tag, but not one with the focus or another's children", () => {
	drawStill(true);
	const parent = new FakeNode("p");
	for (const ids of orders(500)) {
		draw(parent, ids);
		assert.deepEqual(shown(parent), names(ids));
	}
	draw(parent, ["a", "x1"]);
	const [a, x1] = parent.childNodes;
	draw(parent, ["b", "x2"]);
	assert.deepEqual(parent.childNodes, [a, x1]);
	document.activeElement = a;
	draw(parent, ["c", "x3"]);
	assert.notEqual(parent.childNodes[0], a);
	document.activeElement = null;
	draw(parent, ["a"], { opaque: true });
	const opaque = parent.childNodes[0];
	draw(parent, ["b"]);
	assert.notEqual(parent.childNodes[0], opaque);
});

test("an element that became another one hears an event once, and only if the other one listens", () => {
	drawStill(true);
	const parent = new FakeNode("p");
	const heard = [];
	const on = (id) => ({ on: { click: () => heard.push(id) } });
	draw(parent, ["a"], on("a"));
	draw(parent, ["b"]);
	const [button] = parent.childNodes;
	const click = () => button.heard.forEach(([, listener]) => listener({}));
	click();
	assert.deepEqual(heard, []);
	draw(parent, ["c"], on("c"));
	click();
	assert.deepEqual(heard, ["c"]);
});
