// @ts-nocheck
// The browser decodes the bytes of a file as Python does, also if they are compressed, even several times, or in an
// encoding of Windows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { FileText, Refused } from "../../static/js/intake/file_text.js";

const TEXT = `kind: Pod\n${"# line\n".repeat(50000)}`;

async function read(...parts) {
	const file = new FileText(new Blob(parts), 10_000_000, () => {});
	let text = "";
	for await (const block of file.blocks()) text += block;
	return { text, typed: file.typed };
}
const refused =
	(reason, kind = "") =>
	(error) =>
		error instanceof Refused && error.reason === reason && error.kind === kind;

test("a packed file is unpacked, and several of them one after another", async () => {
	const packed = gzipSync(TEXT);
	assert.equal((await read(packed)).text, TEXT);
	assert.equal((await read(packed, gzipSync("second\n"), gzipSync("third\n"))).text, `${TEXT}second\nthird\n`);
	const stored = gzipSync(Buffer.concat([packed, Buffer.from("\n")]), { level: 0 }); // with a header of gzip in it
	await assert.rejects(read(stored), refused("archive", "gzip"));
});

test("a header of gzip within packed data begins no other file", async () => {
	const inner = Buffer.concat([Buffer.from("text \u001f"), Buffer.from("plain")]);
	const packed = gzipSync(inner, { level: 0 });
	packed.set([0x1f, 0x8b, 8, 0], 4); // as the time of packing
	await assert.rejects(read(packed), refused("binary"));
});

test("a packed file that is cut off is read as far as it goes, one that is damaged is refused", async () => {
	const packed = gzipSync(TEXT.replace(/line/g, () => Math.random().toString(36)));
	const { text } = await read(packed.subarray(0, packed.length / 2));
	assert.ok(text.startsWith("kind: Pod\n"));
	packed[packed.length >> 1] ^= 0x55;
	await assert.rejects(read(packed), refused("damaged"));
});

test("archives are told by their names, and what is no text", async () => {
	const tar = new Uint8Array(512);
	tar.set(Buffer.from("ustar"), 257);
	await assert.rejects(read("PK\u0003\u0004rest"), refused("archive", "zip"));
	await assert.rejects(read(gzipSync(tar)), refused("archive", "tar"));
	await assert.rejects(read(Uint8Array.of(0xfd, ...Buffer.from("7zXZ"), 0)), refused("archive", "xz"));
	await assert.rejects(read(Uint8Array.of(0x89, 0x50)), refused("encoding"));
	await assert.rejects(read("kind: Pod\u0000"), refused("binary"));
	await assert.rejects(read(" \n"), refused("empty"));
});

test("a file of Windows is read", async () => {
	assert.equal((await read(Uint8Array.of(0xff, 0xfe), Buffer.from(TEXT, "utf16le"))).text, TEXT);
	assert.equal((await read(Uint8Array.of(0xef, 0xbb, 0xbf), TEXT)).text, TEXT);
});

test("a file that ends within a character is refused", async () => {
	const bytes = Buffer.from("kind: Pod # 节点");
	await assert.rejects(read(bytes.subarray(0, -1)), refused("encoding"));
	await assert.rejects(read(gzipSync(bytes.subarray(0, -2))), refused("encoding"));
	await assert.rejects(read(Uint8Array.of(0xff, 0xfe), Buffer.from("kind", "utf16le"), "x"), refused("encoding"));
	assert.equal((await read(bytes)).text, "kind: Pod # 节点");
});

test("only a text that somebody may have typed is held", async () => {
	assert.equal((await read(TEXT)).typed, TEXT);
	assert.equal((await read("kind: Secret\n")).typed, "");
	assert.equal((await read("# long\n".repeat(1_200_000))).typed, "");
});
