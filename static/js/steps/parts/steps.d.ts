/** What a step of scheduling consists of, by the bare names that most modules use. */

declare global {
	type StepName = "run" | "cluster" | "queue" | "prefilter" | "filter" | "score" | "preempt" | "binding" | "group";
	type FilterOrder = "plugin" | "node";
	type Teller = (context: Context) => Partial<Caption>;
	type Explain = (view: View, kind: string, first: string, second: string) => Child;
	interface Explanation {
		explain: Explain;
		/** the number that decides in the frame on screen, explained unasked */
		asked?: (place: Asked) => string | null;
	}
	/** of a view, or of one that is still to be made */
	type Asked = Pick<View, "scene" | "state" | "event" | "hero" | "frame" | "order">;
	type PictureName = keyof typeof import("../registry.js").PICTURES;

	interface Step {
		/** the events that its captions speak of */
		tells: AnyEvent["type"][];
		captions: () => Promise<{ CAPTIONS: Record<string, Teller> }>;
		/** when its picture is on; the cluster's is at all others */
		shows?: AnyEvent["type"][];
		/** and its parts, with so many nodes */
		picture?: (nodes: number) => PictureName[];
		/** of events that take several */
		frames?: Record<string, (event: any, order: FilterOrder) => number>;
		/** kinds of references to numbers */
		explains?: string[];
		explanation?: () => Promise<Explanation>;
	}

	/** What a picture may also draw, when it is here. */
	interface Parts {
		strips?: typeof import("../binding/view.js");
		funnel?: typeof import("../filter/funnel.js");
		claims?: typeof import("../cluster/claims.js");
		bars?: typeof import("../score/bars.js");
		reasons?: typeof import("../many/reason_groups.js");
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
