// @ts-check
/** Each addition of the builder to a pod is shown in a few words, and can be removed again. */
import assert from "node:assert/strict";
import test from "node:test";
import { Documents } from "../../../static/js/editor/form/documents.js";
import { additions, pod, rulesOf } from "../../../static/js/editor/form/shapes.js";

const BARE = pod({ name: "web-1", cpu: "1", memory: "1Gi", labels: { app: "web" } });
const WORDS = {
	spread: "zone ≤ 1",
	antiAffinity: "hostname, app=web",
	affinity: "zone, app=web",
	nodeAffinity: "zone In a",
	toleration: "gpu",
	gate: "example.com/wait",
	hostPort: "8080",
};

/** The documents of a pod with every addition. */
function full() {
	const documents = new Documents("");
	documents.add(BARE);
	for (const key of Object.keys(WORDS)) {
		const [ref] = documents.of("Pod");
		const [path, value] = additions(ref.value)[key];
		documents.set(ref, path, value);
	}
	return documents;
}

test("every addition is shown in few words", () => {
	const shown = rulesOf(full().of("Pod")[0].value).map(({ key, text }) => [key, text]);
	assert.deepEqual(Object.fromEntries(shown), WORDS);
});

test("without its rules a pod is what it was", () => {
	const documents = full();
	for (;;) {
		const [ref] = documents.of("Pod");
		const [rule] = rulesOf(ref.value);
		if (!rule) break;
		documents.set(ref, rule.path, rule.rest);
	}
	assert.deepEqual(documents.of("Pod")[0].value, BARE);
});

test("of two tolerations one goes, the other stays; what people wrote is shown too", () => {
	const value = {
		spec: {
			tolerations: [
				{ operator: "Exists" },
				{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
				{ key: "gpu", value: "a100", effect: "NoSchedule" },
			],
			topologySpreadConstraints: [{ maxSkew: 2, topologyKey: "rack", whenUnsatisfiable: "ScheduleAnyway" }],
			affinity: {
				podAffinity: {
					preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: "rack" } }],
				},
			},
			containers: [{ ports: [{ containerPort: 80 }] }],
		},
	};
	const rules = rulesOf(value);
	assert.deepEqual(
		rules.map(({ text }) => text),
		["rack ≤ 2 (ScheduleAnyway)", "rack", "*", "gpu=a100:NoSchedule"],
	);
	assert.deepEqual(rules[2].rest, value.spec.tolerations.slice(1));
});
