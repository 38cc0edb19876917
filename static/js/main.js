// @ts-check
/** The page: boot data in, feed to store to player to views. Everything that the reader chose lives here. */

import { captionOf, captionsFor, loadCaptions } from "./captions.js";
import { ChunkStore } from "./chunk_store.js";
import { drawStill } from "./dom.js";
import { Explainer } from "./explain.js";
import { backfill, chunkOf } from "./feed.js";
import { loadCatalogue, t } from "./i18n.js";
import { listenToKeys } from "./keyboard.js";
import { formatLink, parseLink } from "./link.js";
import { filtered } from "./model/filter.js";
import { heroOf, sceneOf } from "./model/phase.js";
import { beginning, boot, feed, linked, linkedChunk } from "./opening.js";
import { Player } from "./player.js";
import { RunIndex } from "./run_index.js";
import { explanationFor } from "./views/explanation.js";
import { drawMargin } from "./views/margin.js";
import { drawQueue } from "./views/queue.js";
import { drawRail } from "./views/rail.js";
import { drawNotices, drawStage, pictureFor, warm } from "./views/stage.js";
import { drawCaption, drawHero, drawLive, drawNext } from "./views/story.js";
import { Timeline } from "./views/timeline.js";
import { drawClock, drawTransport } from "./views/transport.js";

const LINK_DELAY = 120; // the address follows once the reader rests: browsers limit how often it may change

const region = (/** @type {string} */ name) => /** @type {HTMLElement} */ (document.getElementById(name));
const root = region("player");
const dialog = /** @type {HTMLDialogElement} */ (region("dialog"));
const store = new ChunkStore();
const index = new RunIndex();
const timeline = new Timeline();
const explainer = new Explainer(boot.api, boot.run, () => redraw(false));
const player = new Player(store, (motion) => redraw(motion));
const run = { id: boot.run, state: boot.state ?? "queued", steps: 0, connection: "open", message: "" };
const chosen = {
  selection: linked.selection,
  pin: /** @type {string | null} */ (null),
  options: { later: false, table: false, lanes: false, margin: false },
};
/** Measured when they change, not when something is drawn: asking the page for a width in between costs a layout. */
const sizes = { page: innerWidth, stage: 0, timeline: 0 };
let worded = false; // the catalogue is here
/** Until the linked step is whole on the screen nothing else is unpacked. @type {((value?: unknown) => void) | null} */
let showFirst = null;
const firstShown = new Promise((resolve) => (showFirst = resolve));
let motionWanted = false;
/** Come when the first step has been drawn: it does not move. @type {typeof import("./motion.js") | null} */
let flights = null;
let drawn = /** @type {View | null} */ (null);
let openDialog = "";
let wishedDialog = ""; // asked for before the first step was here
let linkTimer = 0;

/** @type {import("./view").Actions} */
const act = {
  pin(ref) {
    chosen.pin = ref;
    redraw(false);
  },
  select(selection) {
    chosen.selection = selection;
    chosen.pin = null;
    redraw(false);
    saveLink(true);
  },
  set(change) {
    const { order, .../** @type {any} */ options } = /** @type {any} */ (change);
    if (order) Object.assign(player, { order, frame: 0 });
    Object.assign(chosen.options, options);
    redraw(false);
  },
  seek(step, frame = 0) {
    player.playing = false;
    player.seek(step, frame);
  },
  open(name) {
    void showDialog(name);
  },
};

/** What opens over the page is loaded when it is first asked for. One that was open and closed meanwhile stays closed. @param {string} name */
async function showDialog(name) {
  if (!drawn) return void (wishedDialog = name); // a link to a step needs the step
  const fresh = !dialog.open;
  const [{ drawDialog }] = await Promise.all([import("./views/dialogs.js"), loadCaptions()]); // the transcript tells every event
  if (!drawn || !(fresh || dialog.open)) return;
  openDialog = name; // only now: the close event of the one before may have come meanwhile
  drawDialog(dialog, name, drawn);
  if (!dialog.open) dialog.showModal();
}

/** @param {boolean} motion */
function redraw(motion) {
  delete root.dataset.ready;
  motionWanted ||= motion;
  player.schedule(draw);
}

/** Resolves once the modules are here that the step needs; null when they are. */
function modules() {
  const { state, event } = player;
  if (!state || !event) return null;
  const scene = sceneOf(event, state);
  const coming = [captionsFor(event), pictureFor(scene, state), explanationFor(scene)].filter(Boolean);
  return coming.length ? Promise.all(coming) : null;
}

/** @returns {View | null} */
function makeView() {
  const { state, event } = player;
  if (!state || !event) return null;
  const hero = heroOf(event, state);
  const { step, frame, order } = player;
  const following = store.event(step + 1);
  const caption = captionOf({ state, event, frame, order, following, explainer });
  return {
    state, event, step, frame, order, following, hero, scene: sceneOf(event, state), caption, motion: motionWanted && Boolean(flights?.wantsMotion()),
    ...chosen, explainer, player, store, index, act, width: sizes.page, sizes, run, boot,
  };
}

/**
 * The one place that draws; called from the one animation frame. `data-ready` holds the link to what is on screen, while all
 * of it is there: not while something is still to be drawn, nor while a view waits for a module of its own.
 */
function draw() {
  if (!worded) return;
  const coming = modules();
  if (coming) return void coming.then(() => redraw(false));
  const view = makeView();
  if (!view) return drawWaiting();
  const samePod = drawn && Math.abs(drawn.step - view.step) <= 1;
  const motion = view.motion && Boolean(drawn) && Boolean(samePod);
  const before = motion ? (flights?.remember(root) ?? null) : null;
  const moved = drawn?.step !== view.step || drawn.frame !== view.frame;
  if (moved) root.classList.toggle("still", !motion);
  drawStill(moved && !motion);
  if (moved && !motion) flights?.settle();
  root.dataset.scene = view.scene;
  drawHero(region("hero"), view);
  drawCaption(region("caption"), view);
  drawNext(region("next"), view);
  drawRail(region("rail"), view);
  drawQueue(region("queue"), view);
  drawStage(region("stage"), view);
  const marginWhole = drawMargin(region("margin"), view);
  drawTransport(region("transport"), view);
  const timelineWhole = timeline.draw(region("timeline"), view);
  drawClock(region("clock"), view);
  drawNotices(region("notices"), view);
  drawLive(region("live"), view);
  if (motion) flights?.fly(root, before, player.speed);
  root.classList.toggle("lanes-open", view.options.lanes);
  if (drawn?.step !== view.step) wantExplanations(view);
  if (drawn && openDialog && dialog.open && formatLink(drawn) !== formatLink(view)) void showDialog(openDialog);
  drawn = view; // before the dialog's own turn
  if (wishedDialog) void showDialog(wishedDialog);
  wishedDialog = "";
  motionWanted = false;
  saveLink(false);
  if (!marginWhole || !timelineWhole) return;
  root.dataset.ready = formatLink(view);
  if (showFirst) setTimeout(showFirst);
  showFirst = null;
}

/** Before the first chunk is here. */
function drawWaiting() {
  drawNotices(region("notices"), /** @type {any} */ ({ run, store, player }));
  const pastEnd = store.complete && player.step >= store.steps;
  region("caption").textContent = pastEnd ? t("run.pastend") : t("run.waiting");
  if (pastEnd && store.steps) player.seek(store.steps - 1);
}

/** Deeper numbers of the attempt on screen, ahead of the first question. @param {View} view */
function wantExplanations(view) {
  const model = filtered(view.state);
  if (!model || (player.playing && player.speed > 1) || view.scene === "cluster") return;
  explainer.want(view.state.attempt, model.names.slice(0, 12));
}

/** The address bar always holds the place on screen; steps that were gone to can be gone back from. @param {boolean} now */
function saveLink(now) {
  clearTimeout(linkTimer);
  const write = () => {
    const link = formatLink({ step: player.step, frame: player.frame, selection: chosen.selection, order: player.order });
    document.getElementById("open-outside")?.setAttribute("href", (boot.page ?? "") + link);
    const page = boot.embed ? "" : (boot.page ?? "");
    if (link === location.hash || (link === "#0" && !location.hash)) return;
    const last = parseLink(location.hash);
    const jump = last.step !== null && Math.abs(last.step - player.step) > 1;
    if (jump && !player.playing) history.pushState(null, "", page + link);
    else history.replaceState(null, "", page + link);
  };
  if (now) write();
  else linkTimer = setTimeout(write, LINK_DELAY);
}

/** Zoom the timeline about the playhead. @param {number} factor */
function zoom(factor) {
  const [from, to] = timeline.range(index);
  timeline.zoom(index, factor, (index.positionOf(player.step, store.steps) - from) / (to - from));
  redraw(false);
}

function followAddress() {
  const place = parseLink(location.hash);
  chosen.selection = place.selection;
  player.order = place.order;
  if (place.step !== null) player.seek(place.step, place.frame);
}

/** @param {TraceChunk} chunk @returns {Promise<unknown>} when the next one may come */
function takeChunk(chunk) {
  if (!store.has(chunk.seq)) store.put(chunk);
  index.update(store);
  const first = !drawn && store.event(player.step);
  if (first) player.seek(player.step, linked.frame);
  else redraw(false);
  return first && !document.hidden ? firstShown : new Promise((resolve) => setTimeout(resolve));
}

/** @param {any} message */
function hear(message) {
  if (message.type === "end") {
    run.steps = message.steps;
    run.state = run.state === "failed" || run.state === "cancelled" ? run.state : "done";
    store.complete = true;
    if (!store.chunkFor(player.step)) void pastTheEnd(message);
  } else if (message.type === "error") run.message = message.message;
  else {
    run.state = message.state ?? run.state;
    run.steps = Math.max(run.steps, message.steps ?? 0);
    run.message = message.error ?? message.message ?? run.message;
    // A link into the middle: its chunk comes first, over the socket; those before it now, for the timeline.
    if (message.type === "hello" && linkedChunk && !store.has(0)) void begin(message.next);
    if (message.type === "hello") void firstShown.then(() => fill(Math.min(message.next, chunkOf(player.step))));
  }
  redraw(false);
}

/** How the run began, for a link into the middle. Where that chunk is not there yet, all come over the socket. @param {number} next */
async function begin(next) {
  const chunk = await beginning;
  if (chunk) takeChunk(chunk);
  if (!chunk || next <= linkedChunk) feed.from(0);
}

/** The link named a step that the run does not have: show its last one. @param {{chunks: number, steps: number}} end */
async function pastTheEnd(end) {
  player.step = Math.min(player.step, Math.max(0, end.steps - 1));
  await fill(end.chunks);
  player.seek(player.step, linked.frame);
}

/** @param {number} before */
function fill(before) {
  return backfill(boot.api, boot.run, before, (seq) => store.has(seq), takeChunk);
}

function measure() {
  const now = { page: innerWidth, stage: region("stage").clientWidth, timeline: region("timeline").clientWidth };
  const same = now.page === sizes.page && now.stage === sizes.stage && now.timeline === sizes.timeline;
  Object.assign(sizes, now);
  if (!same) redraw(false);
}

async function start() {
  for (const button of document.querySelectorAll("[data-open]")) button.addEventListener("click", () => act.open(button.getAttribute("data-open") ?? ""));
  const texts = loadCatalogue(boot.captions);
  player.step = linked.step ?? 0;
  player.order = linked.order;
  feed.listen({
    chunk: takeChunk,
    message: hear,
    connection: (connection, code) => {
      run.connection = connection;
      if (code === 4001 || code === 4004) run.message = t(`run.code.${code}`);
      redraw(false);
    },
  });
  await texts;
  worded = true;
  redraw(false);
  listenToKeys(player, { open: act.open, zoom, set: act.set, state: () => drawn ?? { hero: "", options: chosen.options, order: player.order } });
  addEventListener("popstate", followAddress);
  const observer = new ResizeObserver(measure);
  for (const name of ["stage", "timeline"]) observer.observe(region(name));
  addEventListener("resize", () => redraw(false));
  document.addEventListener("themechange", () => redraw(false));
  dialog.addEventListener("close", () => {
    if (!dialog.open) openDialog = "";
  });
}

void start();
void firstShown.then(async () => {
  warm();
  void loadCaptions();
  for (const scene of /** @type {const} */ (["cluster", "filter", "score", "preempt"])) void explanationFor(scene);
  flights = await import("./motion.js");
});
// For tests and for the curious: the player of this page.
Object.assign(globalThis, { kschedui: { player, store, index, feed: () => run } });
