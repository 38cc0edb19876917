/** The types of a step of scheduling, by the bare names that most modules use. */

declare global {
	type StepName =
		| "run"
		| "cluster"
		| "queue"
		| "prefilter"
		| "autoscaling"
		| "filter"
		| "score"
		| "preempt"
		| "binding"
		| "group"
		| "controllers"
		| "devices";
	type FilterOrder = "plugin" | "node";
	type Teller = (context: Context) => Partial<Caption>;
	type Explain = (view: View, kind: string, first: string, second: string) => Child;
	interface Explanation {
		explain: Explain;
		/** a reference to the number that decides in the frame on screen, which is explained if none is selected */
		asked?: (place: Asked) => string | null;
	}
	/** of a view, or of one that is still to be made */
	type Asked = Pick<View, "scene" | "state" | "event" | "subject" | "frame" | "order">;
	type PictureName = "cluster" | "lanes" | "preempt" | "scores" | "cells" | "gang" | "devices" | "pass";
	type Draw = (target: Element, view: View) => void;

	interface Step extends Explanation {
		/** the caption functions of its events, by type; "group.<type>" for a member of a pod group */
		captions: Record<string, Teller>;
		/** the events at which its picture is shown; at all others, the cluster's is */
		shows?: AnyEvent["type"][];
		/** the picture for a number of nodes */
		picture?: (nodes: number) => PictureName;
		/** the event whose state the picture shows; undefined: that on screen */
		moment?: AnyEvent["type"];
		/** the number of frames of events that have several */
		frames?: Record<string, (event: any, order: FilterOrder) => number>;
		/** kinds of references to numbers */
		explains: string[];
	}

	/** A score plugin (or extender) over the feasible nodes. */
	interface Scorer {
		plugin: string;
		weight: number;
		raw: number[];
		normalized: number[];
		weighted: number[];
	}
	interface Scores {
		/** feasible nodes, in the order found */
		names: string[];
		plugins: Scorer[];
		totals: number[];
		skipped: string[];
	}
}

export {};
