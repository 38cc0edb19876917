/** What a step of scheduling consists of, by the bare names that most modules use. */

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
		/** the number that decides in the frame on screen, explained unasked */
		asked?: (place: Asked) => string | null;
	}
	/** of a view, or of one that is still to be made */
	type Asked = Pick<View, "scene" | "state" | "event" | "subject" | "frame" | "order">;
	type PictureName = "cluster" | "lanes" | "preempt" | "scores" | "cells" | "gang" | "devices" | "pass";
	type Draw = (target: Element, view: View) => void;

	interface Step extends Explanation {
		/** what captions its events, by type; "group.<type>" for that of a member of a pod group */
		captions: Record<string, Teller>;
		/** when its picture is on; the cluster's is at all others */
		shows?: AnyEvent["type"][];
		/** with so many nodes */
		picture?: (nodes: number) => PictureName;
		/** the event whose moment the picture shows for as long as it is on; none: the event on screen */
		moment?: AnyEvent["type"];
		/** of events that take several */
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
