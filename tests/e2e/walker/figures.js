/** Checks that each number in a caption is in the trace, or is a sum or difference of numbers in it. */

const { amount, decimal } = await import("/static/js/shared/units.js");
const { allocatable, free, heldFor, used } = await import("/static/js/trace/room.js");
const { filterModel } = await import("/static/js/steps/filter/model.js");
const { roomInDryRun } = await import("/static/js/steps/preempt/model.js");
const { scores } = await import("/static/js/steps/score/bars.js");

/** Numbers anywhere in a value. @param {any} value @param {(n: number) => void} take */
function within(value, take) {
	if (typeof value === "number") take(value);
	else if (typeof value === "string") for (const found of value.match(/\d+(\.\d+)?/g) ?? []) take(Number(found));
	else if (Array.isArray(value)) {
		take(value.length);
		for (const one of value) within(one, take);
	} else if (value && typeof value === "object") for (const one of Object.values(value)) within(one, take);
}

/**
 * The sources of a step's numbers, the most specific first: the many numbers of nodes and pods are computed only
 * if necessary.
 */
const SOURCES = [ofStep, ofFilter, ofScores, ofPreemption, ofPods, ofNodes];

class Known {
	/** @param {any} view */
	constructor(view) {
		this.view = view;
		this.left = [...SOURCES];
		this.numbers = new Set(["0", "1", "2", "3", "5", "6", "100", "31"]);
		this.states = [view.state, kschedui.store.stateAfter(view.step - 1)].filter(Boolean);
		this.take = this.take.bind(this);
	}

	/** @param {number} n */
	take(n) {
		for (const one of [n, Math.round(n), n - this.view.state.time]) this.numbers.add(decimal(Math.abs(one))); // signs are no figures
	}

	/** @param {string} resource @param {number} value */
	took(resource, value) {
		for (const found of amount(resource, value).match(/[\d.]+/g) ?? []) this.numbers.add(found);
	}

	/** @param {number} most */
	upTo(most) {
		for (let n = 0; n <= most; n += 1) this.take(n);
	}

	/** @param {string} number */
	has(number) {
		while (!this.numbers.has(number) && this.left.length) this.left.shift()?.(this);
		return this.numbers.has(number);
	}
}

/** @param {Known} known */
function ofStep({ view, take }) {
	const { event, state, step, frame } = view;
	for (const one of [event, kschedui.store.event(step - 1), kschedui.store.event(step + 1), state.cycle]) within(one, take);
	take(state.time);
	if (event.backoff_until) [event.backoff_until - event.timestamp, Math.floor(Math.max(event.backoff_until, state.time)) + 1].forEach(take);
	take(frame + 1);
	take((event.results ?? []).filter((one) => one.code === "Skip").length);
}

/** @param {Known} known */
function ofNodes(known) {
	const { take, view, states } = known;
	for (const at of states) {
		const nodes = [...at.nodes.values()];
		take(nodes.length);
		take(new Set(nodes.map((node) => node.summary.labels?.["topology.kubernetes.io/zone"] ?? "")).size);
		for (const node of nodes) {
			within([node.summary.labels, node.summary.taints, node.pods], take);
			for (const resource of Object.keys(node.summary.allocatable)) {
				const [whole, taken] = [allocatable(node, resource), used(node, resource)];
				for (const value of [whole, taken, whole - taken, Math.max(0, free(at, node.summary.name, resource, view.subject))]) known.took(resource, value);
				known.took(resource, heldFor(at, node.summary.name, view.subject).reduce((sum, key) => sum + (at.pods.get(key)?.summary.requests?.[resource] ?? 0), 0));
				take(Math.round((100 * taken) / Math.max(1, whole)));
				const need = at.pods.get(view.subject)?.summary.requests?.[resource] ?? 0;
				take(Math.round((100 * (free(at, node.summary.name, resource, view.subject) - need)) / Math.max(1, whole)));
			}
		}
	}
}

/** @param {Known} known */
function ofPods(known) {
	const { take, states } = known;
	for (const at of states) {
		const places = {};
		for (const pod of at.pods.values()) {
			places[pod.place] = (places[pod.place] ?? 0) + 1;
			const { labels, priority, wishes } = pod.summary;
			within([labels, priority, wishes, pod.attempts, pod.backoff_until, pod.deadline, pod.timestamp], take);
			for (const [resource, value] of Object.entries(pod.summary.requests ?? {})) known.took(resource, value);
		}
		Object.values(places).forEach(take);
		take(at.pods.size);
		for (const one of at.storage.values()) known.took("memory", one.size ?? 0);
		known.upTo(places.active ?? 0);
	}
}

/** @param {Known} known */
function ofFilter(known) {
	const { take } = known;
	const model = filterModel(known.view.state);
	if (!model) return;
	[model.evaluated, model.toFind, ...model.left].forEach(take);
	model.left.forEach((left, i) => take((model.left[i - 1] ?? model.evaluated) - left));
	if (model.names.length <= 60) known.upTo(model.names.length);
}

/** @param {Known} known */
function ofScores(known) {
	const { take } = known;
	const points = scores(known.view.state);
	if (!points) return;
	const sorted = [...points.totals].sort((a, b) => b - a);
	const best = points.totals.indexOf(sorted[0]);
	for (const one of points.plugins) {
		[one.raw, one.normalized, one.weighted].forEach((column) => column.forEach(take));
		take(Math.max(...one.weighted) - Math.min(...one.weighted));
		take(one.weight * 100);
		for (const points of one.weighted) take(Math.abs(points - one.weighted[best]));
	}
	const second = points.totals.indexOf(sorted[1] ?? sorted[0]);
	for (const one of points.plugins) take(Math.abs(sorted[0] - (sorted[1] ?? sorted[0]) - (one.weighted[best] - one.weighted[second])));
	for (const total of sorted) [total, sorted[0] - total].forEach(take);
	take(points.names.length);
	known.upTo(Math.min(60, points.names.length));
}

/** @param {Known} known */
function ofPreemption(known) {
	const { take, view } = known;
	const play = view.state.cycle.PreemptionEvaluated;
	if (!play) return;
	take(play.candidates.reduce((sum, one) => sum + one.removed.length, 0));
	take((play.unhelpful ?? 0) + Object.keys(play.failed ?? {}).length + (play.more_failed ?? 0));
	take(play.candidates.length + (play.more?.count ?? 0));
	for (const one of play.candidates) {
		take((one.priority_sum ?? 0) - one.victims.length * 2 ** 31);
		take(view.state.time - (one.earliest_start ?? 0));
		const { resource, need, tried } = roomInDryRun(view.state, one, view.subject);
		for (const { after } of tried) known.took(resource, Math.max(0, after));
		known.took(resource, need);
	}
	known.upTo(30);
}

/** @returns {Generator<[string, string]>} */
export function* figures(view) {
	const numbers = new Known(view);
	for (const selector of ["#caption h1", "#caption .why", "#caption .lesson"]) {
		const copy = document.querySelector(selector)?.cloneNode(true);
		if (!copy) continue;
		for (const name of copy.querySelectorAll(".name, .pod-name")) name.remove();
		const words = copy.textContent.replace(/2³¹/g, "").replace(/[A-Za-z][\w-]*\d[\w.…-]*/g, "").replace(/(\d),(\d{3})/g, "$1$2");
		for (const [found] of words.matchAll(/\d+(\.\d+)?/g)) {
			const plain = decimal(Number(found));
			if (!numbers.has(plain)) yield ["figure", `${found} in "${document.querySelector(selector).textContent.slice(0, 120)}"`];
		}
	}
}
