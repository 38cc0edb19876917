/** The values from which every view is drawn: the state after the event on screen, and the reader's choices. */

import type { Player } from "./player/player.js";
import type { Selection } from "./shared/link.js";
import type { ChunkStore } from "./trace/chunk_store.js";
import type { Explainer } from "./trace/explainer.js";
import type { RunIndex } from "./trace/run_index.js";

export interface Options {
	/** show what the later plugins would say about a node that an earlier one rejected */
	later: boolean;
	/** scores as a table instead of bars */
	table: boolean;
	/** the timeline opened into lanes */
	lanes: boolean;
	/** the margin opened as a panel (narrow screens) */
	margin: boolean;
	/** with many nodes: the reason whose nodes stand out */
	reason?: string;
}

/** A number of the arithmetic that can be tried in place. */
export interface Tried {
	/** "request:cpu", "room:node-1:memory", "weight:ImageLocality", "priority:spec,priority" */
	id: string;
	of: "request" | "room" | "weight" | "priority" | "skew" | "term";
	/** the resource, the plugin, the topology key, or a preferred term in words */
	name: string;
	node?: string;
	/** where it stands in the pod's manifest, if it is a number of the pod's alone */
	path?: (string | number)[];
	/** as it really is, in the engine's units */
	value: number;
	least: number;
	most: number;
	step: number;
	label: string;
}

export interface Actions {
	pin(ref: string | null): void;
	select(selection: Selection | null): void;
	set(change: Partial<Options> & { order?: "plugin" | "node" }): void;
	seek(step: number, frame?: number): void;
	open(dialog: string): void;
	/** tries a number in place; null ends the what-if */
	tryNumber(change: (Tried & { to: number }) | null): void;
}

/** A run, as its feed last reported it. */
interface Run {
	id: string;
	state: string;
	steps: number;
	connection: string;
	message: string;
	/** while it is queued: how many runs come before it, and about how many seconds that takes */
	ahead: { runs: number; seconds: number | null } | null;
	/** the address that cancels it; "" if the reader may not */
	cancel: string;
}

export interface View {
	state: State;
	/** the state at which this attempt's last event of a type happened */
	moment(type: AnyEvent["type"] | undefined): State;
	/** the same for the stage, with numbers as they are tried */
	staged?: View["moment"];
	event: any;
	step: number;
	frame: number;
	order: "plugin" | "node";
	following: any;
	subject: string;
	scene: StepName;
	caption: Caption;
	/** its own caption, if a question or a what-if replaces it */
	own?: Caption;
	/** the last frame that may be shown; undefined: all may */
	horizon?: { step: number; frame: number; question: number };
	/** the learner's actions */
	learner?: {
		predictions: import("./learn/predictions.js").Predictions;
		pickKey(key: string): void;
		predict(): void;
		everyStep(): void;
	};
	/** the numbers that are tried, by id, and why they cannot be evaluated */
	tried?: { values: Map<string, number>; problem: string };
	/** the last step whose outcome the timeline shows: in a lesson the furthest that was shown */
	reach: number;
	motion: boolean;
	selection: Selection | null;
	pin: string | null;
	/** a reference that the margin explains in place of the step's own, if the reader selected none */
	explained?: string;
	options: Options;
	explainer: Explainer;
	player: Player;
	store: ChunkStore;
	index: RunIndex;
	act: Actions;
	/** of the page, in pixels */
	width: number;
	/** pixels, measured when they change */
	sizes: { page: number; stage: number; height: number; timeline: number };
	/** as the feed last reported it */
	run: Run;
	boot: any;
}
