// @ts-nocheck
// The pages of a class without a browser: the real player, questions and state machines of the class, but no drawing.
// Reads commands, one JSON object per line, and answers each with the messages that the pages sent and the content of
// their screens. The commands set its clock.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

// --- Time ---------------------------------------------------------------------------------------------------------

let now = 0;
let timers = [];
let lastTimer = 0;
globalThis.setTimeout = (run, wait = 0) => {
	lastTimer += 1;
	timers.push({ id: lastTimer, at: now + wait, run });
	return lastTimer;
};
globalThis.clearTimeout = (id) => {
	timers = timers.filter((timer) => timer.id !== id);
};
globalThis.requestAnimationFrame = (run) => setTimeout(() => run(now), 0);

/** Advances the clock, and runs the timers that become due, in order. */
function pass(milliseconds) {
	const end = now + milliseconds;
	for (;;) {
		const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.id - b.id)[0];
		if (!next) break;
		clearTimeout(next.id);
		now = Math.max(now, next.at);
		next.run();
	}
	now = end;
}

const load = (path) => import(join(ROOT, "static", "js", path));
const { useCatalogue } = await load("shared/i18n.js");
const { ChunkStore } = await load("trace/chunk_store.js");
const { unpack } = await load("trace/feed.js");
const { Player } = await load("player/player.js");
const { press } = await load("chrome/keyboard.js");
const { Predictions } = await load("learn/predictions.js");
const { placeBefore, Questions } = await load("learn/questions.js");
const { Lead } = await load("classroom/lead.js");
const { Attendance } = await load("classroom/attendance.js");
const { ClassSocket } = await load("classroom/socket.js");
useCatalogue(JSON.parse(readFileSync(join(ROOT, "static", "i18n", "en.json"), "utf8")));

// --- Pages --------------------------------------------------------------------------------------------------------

/** The messages that the pages sent since the last command. */
let sent = [];
const pages = new Map();
let chunks = [];
let asked = [];

/** A websocket whose other end is the test. Messages of a page that was reloaded are dropped. */
function socketOf(name, page) {
	const say = (message) => pages.get(name) === page && sent.push({ page: name, ...message });
	return class {
		constructor() {
			page.link = this;
			say({ open: true });
		}
		send(text) {
			say({ text });
		}
	};
}

class Page {
	constructor(name, teaches, known, code) {
		pages.set(name, this);
		this.store = new ChunkStore();
		this.player = new Player(this.store, () => this.player.schedule(() => this.draw()));
		this.predictions = new Predictions();
		this.predictions.source = new Questions(asked);
		this.predictions.go = (to) => this.player.move(to.step, to.frame, true);
		this.player.stopBefore = (step, frame) => this.predictions.stopBefore(this.player, { step, frame });
		this.chosen = { selection: null, pin: null };
		this.arrive(known);
		const moved = { ...this, redraw: () => this.player.changed(false) };
		const say = (message) => this.socket.say(message);
		this.machine = teaches ? new Lead(moved, say) : new Attendance(moved, say, () => {});
		const keep = (message) =>
			teaches ? this.machine.keep(message.n, message.number) : this.machine.keep(message, message.type === "late");
		this.socket = new ClassSocket("", code, {
			board: (board, hello) => this.machine.take(board, teaches ? hello !== null : hello),
			message: (message) => {
				if (message.type === "count") this.machine.count(message);
				if (["kept", "answered", "late"].includes(message.type)) keep(message);
			},
			connection: () => {},
		}, socketOf(name, this));
		this.socket.open();
		this.draw();
	}

	/** Loads the run up to this step. */
	arrive(known) {
		for (const chunk of chunks.slice(0, known)) this.store.put(structuredClone(chunk));
		this.store.complete = known >= chunks.length;
	}

	draw() {
		const { step, frame } = this.player;
		if (!this.player.event) return;
		if (this.predictions.on) this.predictions.read(this.store);
		this.machine?.drawn({ step, frame });
	}

	press(key) {
		const pickKey = (number) => this.predictions.pick(Number(number) - 1);
		const state = () => ({ learner: { predictions: this.predictions, pickKey }, options: {}, order: this.player.order });
		const target = { closest: () => null };
		press({ key, target, preventDefault() {} }, this.player, { state, set() {}, open() {}, zoom() {}, goOn() {} });
	}

	/** The content of the page's screen. */
	get shown() {
		const { player, predictions, machine } = this;
		const { step, frame } = player;
		const { board, counts } = machine;
		return {
			place: [step, frame],
			asked: predictions.open?.id ?? "",
			picked: predictions.picks.get(predictions.open?.id) ?? null,
			counts,
			closed: Boolean(predictions.open && counts),
			paused: machine.paused ?? board?.paused ?? false,
			ended: board?.ended ?? false,
			follows: machine.follow?.on ?? true,
			answered: machine.answered ?? null,
			students: machine.counted?.students ?? null,
			number: board?.number ?? -1,
			sent: machine.sent ?? 0,
			kept: machine.kept ?? 0,
			due: Boolean(machine.due),
			joined: this.socket.joined,
			last: player.store.complete,
		};
	}
}

/** The places of the run in the order in which a teacher shows them, and the questions. */
function walk() {
	const page = new Page("walk", true, chunks.length, "");
	page.predictions.host = null;
	page.predictions.turn(false, page.player);
	const places = [[0, 0]];
	while (page.player.forward()) places.push([page.player.step, page.player.frame]);
	page.predictions.read(page.store);
	const questions = page.predictions.questions.map(({ id, from, shown, options, right }) => ({
		id,
		before: Object.values(placeBefore(page.player, from)),
		from: [from.step, from.frame],
		shown: [shown.step, shown.frame],
		choices: options.length,
		right,
	}));
	pages.clear();
	timers = [];
	return { places, questions };
}

const COMMANDS = {
	run({ run, questions }) {
		chunks = run;
		for (const chunk of chunks) unpack(chunk);
		asked = questions;
		return walk();
	},
	forget() {
		pages.clear();
		timers = [];
	},
	load: ({ page, teaches, known, code }) => void new Page(page, teaches, known, code),
	arrive: ({ page }) => {
		pages.get(page).arrive(chunks.length);
		pages.get(page).player.changed(false);
	},
	close: ({ page }) => void pages.delete(page),
	opened: ({ page }) => pages.get(page).link.onopen(),
	receive: ({ page, text }) => pages.get(page).link.onmessage({ data: text }),
	closed: ({ page, code }) => pages.get(page).link.onclose({ code }),
	press: ({ page, key }) => pages.get(page).press(key),
	do: ({ page, what }) => void pages.get(page).machine[what](),
	catchUp: ({ page }) => pages.get(page).machine.follow.catchUp(),
	pass: ({ ms }) => pass(ms),
};

for await (const line of createInterface({ input: process.stdin })) {
	const command = JSON.parse(line);
	sent = [];
	const answer = COMMANDS[command.do](command) ?? null;
	pass(0);
	const shown = Object.fromEntries([...pages].map(([name, page]) => [name, page.shown]));
	process.stdout.write(`${JSON.stringify({ answer, sent, shown })}\n`);
}
