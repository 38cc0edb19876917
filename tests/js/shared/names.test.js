// @ts-nocheck
// The display of names of nodes and pods, as in clusters of the large providers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeName, podParts, setNodeNames, shortened, shortPod } from "../../../static/js/shared/names.js";

/** The names as they are shown. */
const shown = (...names) => names.map((name) => shortened(names).get(name) ?? name);

test("names of one network lose what all have in common", () => {
	const eks = (address) => `ip-10-0-${address}.eu-west-1.compute.internal`;
	assert.deepEqual(shown(eks("10-87"), eks("10-12"), eks("11-3")), ["10-87", "10-12", "11-3"]);
	assert.deepEqual(shown("ip-10-0-10-87.ec2.internal", "ip-10-0-10-88.ec2.internal", "ip-10-1-10-87.ec2.internal"), [
		"0-10-87",
		"0-10-88",
		"1-10-87",
	]);
});

test("pools of nodes stay, and what a pool's nodes have in common goes", () => {
	assert.deepEqual(
		shown(
			"gke-prod-default-pool-1a2b3c4d-x7f2",
			"gke-prod-default-pool-1a2b3c4d-0k3x",
			"gke-prod-highmem-pool-99aa01bc-zz1q",
		),
		["default-x7f2", "default-0k3x", "highmem-zz1q"],
	);
	assert.deepEqual(
		shown("aks-nodepool1-12345678-vmss000001", "aks-nodepool1-12345678-vmss000010", "aks-gpu-8765432-vmss000000"),
		["nodepool1-01", "nodepool1-10", "gpu-00"],
	);
});

test("short names, a single name and names that would become the same stay", () => {
	assert.deepEqual(shown("birch-1", "birch-2", "cedar-3"), ["birch-1", "birch-2", "cedar-3"]);
	assert.deepEqual(shown("node-1", "node-10"), ["node-1", "node-10"]);
	assert.deepEqual(shown("ip-10-0-10-87.eu-west-1.compute.internal"), ["ip-10-0-10-87.eu-west-1.compute.internal"]);
	assert.deepEqual(shown("a-very-long-node-name", "a-very-long-node-name-"), [
		"a-very-long-node-name",
		"a-very-long-node-name-",
	]);
});

test("no two nodes of a cluster are shown alike, and none longer than it is", () => {
	const pools = ["default-pool", "high-mem", "gpu"];
	const names = Array.from(
		{ length: 300 },
		(_, i) => `gke-shop-${pools[i % 3]}-${(i % 3) * 7919}f-${(i * 7919).toString(36)}`,
	);
	const all = shortened(names);
	assert.equal(new Set(all.values()).size, names.length);
	for (const [name, short] of all) assert.ok(short.length < name.length);
});

test("without room a node is shown by the end that no other has", () => {
	setNodeNames(["node-0128", "node-0129", "birch-1", "cedar-1", "oak-abc", "elm-abc"]);
	assert.equal(nodeName("node-0128", 8), "…0128");
	assert.equal(nodeName("node-0128", 9), "node-0128");
	assert.equal(nodeName("birch-1", 6), "bi…h-1");
	assert.equal(nodeName("oak-abc", 6), "oa…abc");
});

test("a pod is its workload, and a hash", () => {
	assert.deepEqual(podParts("shop/checkout-9d427ed0cd-bc8c8"), ["checkout", "bc8c8"]);
	assert.deepEqual(podParts("shop/prefc-nqfkgdcvsr-cj5vg"), ["prefc", "cj5vg"]); // a hash without a digit
	assert.deepEqual(podParts("shop/node-exporter-x7k2p"), ["node-exporter", "x7k2p"]);
	assert.equal(shortPod("shop/payments-worker-5d8f7c9b6-zx2vq"), "payments-worker\u00a0zx2vq");
	for (const name of ["web-5", "low-1-again", "runs-already", "my-frontend1-alpha", "db-0", "mail-queue"])
		assert.deepEqual(podParts(`default/${name}`), [name, ""]);
});
