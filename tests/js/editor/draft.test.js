// @ts-nocheck
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { draftOf } from "../../../static/js/editor/draft.js";

/** The part of a browser's storage that drafts use. */
class Storage {
	getItem(key) {
		return this[key] ?? null;
	}
	setItem(key, text) {
		this[key] = text;
	}
	removeItem(key) {
		delete this[key];
	}
}

beforeEach(() => {
	globalThis.localStorage = new Storage();
});

test("a draft is kept until it is put away", () => {
	const draft = draftOf("abc", 1);
	assert.equal(draft.read(), null);
	assert.equal(draft.keep("mine"), true);
	assert.equal(draftOf("abc", 1).read().text, "mine");
	assert.equal(draftOf("abcd", 1).read(), null);
	assert.equal(draftOf("new.", 0).read(), null);
	draft.forget();
	assert.equal(draftOf("abc", 1).read(), null);
});

test("a draft of an older version is found again and stays one, so that saving it is a conflict", () => {
	draftOf("abc", 1).keep("mine");
	const later = draftOf("abc", 2);
	assert.deepEqual([later.read().text, later.read().version], ["mine", 1]);
	later.keep("mine, longer");
	assert.equal(draftOf("abc", 3).read().version, 1);
	draftOf("abc", 3).forget();
	assert.deepEqual(Object.keys(localStorage), []);
});

test("the draft of the newest version comes before older ones, and rubbish is no draft", () => {
	draftOf("abc", 2).keep("of two");
	draftOf("abc", 1).keep("of one");
	assert.equal(draftOf("abc", 2).read().text, "of two");
	localStorage.setItem("kschedui.draft.abc.2", "{");
	assert.equal(draftOf("abc", 2).read(), null);
});

test("after another version was taken, what was typed before is still there until it is put away", () => {
	const draft = draftOf("abc", 1);
	draft.keep("mine");
	draft.rebase(2);
	assert.deepEqual([draftOf("abc", 2).read().text, draftOf("abc", 2).read().version], ["mine", 1]);
	draft.keep("theirs, changed");
	assert.deepEqual([draftOf("abc", 2).read().text, draftOf("abc", 2).read().version], ["theirs, changed", 2]);
	draft.forget();
	assert.equal(draftOf("abc", 2).read(), null);
});

test("storage that refuses is told", () => {
	globalThis.localStorage = {
		setItem() {
			throw new Error("full");
		},
	};
	assert.equal(draftOf("abc", 1).keep("mine"), false);
});
