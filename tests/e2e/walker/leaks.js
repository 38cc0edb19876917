/**
 * Finds parts of the page that reveal the answer to an open question. The oracle is another run, which is the same up to
 * the question and continues differently: if the page differs between the two, also after a reader opens or pins
 * something, it reveals the answer.
 */

const { predictions } = await import("/static/js/learn/predictions.js");
const { chosen, explainer, index, redraw, screen } = await import("/static/js/player/page.js");
const { act } = await import("/static/js/player/actions.js");
const { framesOf } = await import("/static/js/steps/registry.js");
const { decodeColumn } = await import("/static/js/trace/feed.js");
const { placesOf } = await import("/static/js/steps/devices/model.js");
const { player, store } = kschedui;
const root = document.getElementById("player");
const dialog = document.getElementById("dialog");
const OPTIONS = ["lanes", "margin", "table", "later"];
const DIALOGS = ["search", "transcript", "breakpoints", "share"];
const AROUND = 90; // letters of what differs

async function drawn() {
	redraw(false);
	globalThis.drawNow?.();
	explainer.loadNow(explainer.wanted.attempt); // what it would ask for once the reader has stayed a moment
	while (root.dataset.ready === undefined || globalThis.asking) await new Promise((resolve) => setTimeout(resolve));
}

/** The ways to look at the page: the name of each, and functions that begin and end it. */
function* looks(question) {
	yield ["the page", () => {}, () => {}];
	for (const name of OPTIONS) yield [name, () => act.set({ [name]: true }), () => act.set({ [name]: false })];
	yield ["by node", () => act.set({ order: "node" }), () => act.set({ order: "plugin" })];
	const { state } = player;
	const nodes = [...state.nodes.keys()].slice(0, 4);
	const plugins = (/NodesFiltered|ScoresComputed/.test(screen.drawn.event.type) ? screen.drawn.event.plugins : []).map((one) => one.plugin ?? one);
	const select = (selection) => ((chosen.selection = selection), (chosen.pin = null));
	for (const name of nodes) yield [`node ${name}`, () => select({ kind: "node", name }), () => select(null)];
	const pod = question.pod?.pod ?? question.pod ?? "";
	if (pod) yield [`pod ${pod}`, () => select({ kind: "pod", name: pod }), () => select(null)];
	const of = nodes.flatMap((node) => [`room:${node}:cpu`, `total:${node}`, `candidate:${node}`, `search:${node}`, `verdict:${node}:NodeResourcesFit`, `compare:${node}:${nodes[0]}`]);
	const refs = [...of, ...plugins.map((one) => `column:${one}`), "candidates", "start", `message:${pod}`, `backoff:${pod}`, "queues", "run", `priority:${pod}`];
	for (const ref of refs) yield [ref, () => (chosen.pin = ref), () => (chosen.pin = null)];
	for (const name of DIALOGS) yield [name, () => act.open(name), () => dialog.close()];
}

/** The page as text: what is visible, read aloud by a screen reader, or shown in a tooltip. */
function page() {
	const parts = [document.querySelector("header"), ...root.children].filter((one) => one !== dialog).map((one) => one.outerHTML);
	return [root.className, ...parts, dialog.open && dialog.innerHTML].join("\n");
}

/** @returns {Promise<Map<string, string>>} by way of looking */
async function pages(question) {
	const seen = new Map();
	for (const [name, begin, end] of looks(question)) {
		begin();
		for (let tries = 0; DIALOGS.includes(name) && !dialog.open && tries < 200; tries += 1) await new Promise((resolve) => setTimeout(resolve, 5));
		await drawn();
		seen.set(name, page());
		end();
	}
	await drawn();
	return seen;
}

/** A column in reverse order. */
function turned(column, count) {
	const bytes = new Uint8Array(Int32Array.from(decodeColumn(column, count)).reverse().buffer);
	return `i4:${btoa(String.fromCharCode(...bytes))}`;
}

/** The possible results of events, by field, to replace one with another. */
const WORDS = { code: ["Success", "Wait"], queue: ["active", "unschedulable"], decision: ["allowed", "timeout"], outcome: ["Scheduled", "Unschedulable"], point: ["PreBind", "Bind"], by: ["replicaset-controller", "karpenter"] };

/** An event with another result that is the same up to a frame. @param {any} event @param {number} frame */
function otherwise(event, frame) {
	if (event.type === "NodesFiltered") return { ...event, verdict: turned(event.verdict, event.evaluated), verdicts: [...event.verdicts].reverse(), feasible: event.feasible ? 0 : 1 };
	if (event.type === "ScoresComputed") {
		const plugins = event.plugins.map((one, i) => (i < frame ? one : { ...one, normalized: turned(one.normalized, event.count), raw: one.raw && turned(one.raw, event.count) }));
		return { ...event, plugins, total: turned(event.total, event.count) };
	}
	if (event.type === "PreemptionEvaluated") {
		const candidates = event.candidates.map((one, i, all) => ({ ...one, rung: all[all.length - 1 - i].rung, victims: [...(one.removed ?? [])].reverse().slice(0, 1), reprieve: (one.reprieve ?? []).map((each) => ({ ...each, reprieved: !each.reprieved })) }));
		return { ...event, candidates, nominated_node: candidates.find((one) => !one.rung)?.node ?? "", victims: [...(event.victims ?? [])].reverse() };
	}
	if (event.type === "DevicesSearched") {
		const at = placesOf(event)[frame - 1].node;
		const other = { found: "none", none: "found" };
		return { ...event, nodes: event.nodes.map((one, i) => (i <= at ? one : { ...one, outcome: other[one.outcome] ?? one.outcome })) };
	}
	const words = Object.entries(WORDS).filter(([name]) => event[name]).map(([name, all]) => [name, all.find((one) => one !== event[name])]);
	return { ...event, ...Object.fromEntries(words), ...(event.type === "CycleStarted" ? { pod: [...player.state.pods.keys()].find((pod) => pod !== event.pod) ?? event.pod } : {}) };
}

/** Changes the rest of the run. @param {{step: number, frame: number}} from @returns {() => void} undoes it */
function changeFuture({ step, frame }) {
	const kept = store.chunks.map((chunk) => ({ events: chunk.events, kept: chunk.kept }));
	const columns = [...index.columns];
	const coming = store.chunks.flatMap((chunk) => chunk.events.filter((_, i) => chunk.first + i > step)).reverse();
	for (const chunk of store.chunks) {
		chunk.events = chunk.events.map((event, i) => {
			const at = chunk.first + i;
			return at > step ? coming[at - step - 1] : at === step ? otherwise(event, frame) : event;
		});
		chunk.kept = chunk.kept.slice(0, 1);
	}
	index.columns.forEach((column, i) => {
		if (column.kind === "attempt" && column.end > player.step) index.columns[i] = { ...column, pod: column.step > player.step ? "default/other" : column.pod, node: "other", victims: 7, outcome: "Error" };
	});
	const renew = () => ((store.recent = []), (index.next += 1)); // what is remembered of either run
	renew();
	return () => {
		store.chunks.forEach((chunk, i) => Object.assign(chunk, kept[i]));
		index.columns.splice(0, columns.length, ...columns);
		renew();
	};
}

/** The first place at which two pages differ. @param {string} one @param {string} other */
function difference(one, other) {
	let at = 0;
	while (one[at] === other[at]) at += 1;
	const around = (text) => text.slice(Math.max(0, at - AROUND), at + AROUND);
	return `${around(one)} BECAME ${around(other)}`;
}

/** Returns whether What if reveals the outcome of the attempt that is asked about. */
async function whatIfAnswers() {
	if (player.state.cycle.AttemptFinished) return false; // its outcome is known
	act.open("ask");
	const panel = () => document.querySelector(".ask");
	while (!panel()?.querySelector(".ask-answer, .ask-body.note")) await new Promise((resolve) => setTimeout(resolve, 5));
	const answers = panel().querySelector(".ask-answer") !== null;
	act.open("ask");
	while (panel()) await new Promise((resolve) => setTimeout(resolve, 5));
	return answers;
}

/** @returns {Promise<string[]>} a line for each thing that tells an answer */
export async function leaks() {
	while (!store.complete || root.dataset.ready === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
	predictions.read(store);
	const lines = [];
	for (const question of predictions.questions) {
		player.seek(question.from.step, question.from.frame);
		await drawn();
		if (predictions.open !== question) return [...lines, `${question.id} is not open`];
		await pages(question); // what is fetched has come then
		const before = await pages(question);
		const undo = changeFuture(question.from);
		await drawn();
		const after = await pages(question);
		undo();
		for (const [name, text] of before)
			if (text !== after.get(name)) lines.push(`${question.id} ${question.event}:${question.kind}, ${name}: ${difference(text, after.get(name) ?? "")}`);
		if (await whatIfAnswers()) lines.push(`${question.id} ${question.event}:${question.kind}: What if answers`);
		predictions.settled.set(question.id, "skipped");
	}
	return lines;
}
