/** The types that most modules use, by their bare names. */
import type * as trace from "./trace/trace";

declare global {
	type AnyEvent = Exclude<trace.AnyEvent, trace.PreemptionEvaluated> | PreemptionEvaluated;
	type Candidate = trace.Candidate;
	type NodesFiltered = trace.NodesFiltered;
	type PodSummary = trace.PodSummary;
	/** `candidates` are made from its columns (feed.js). */
	type PreemptionEvaluated = trace.PreemptionEvaluated & { candidates: Candidate[] };
	type Events = { since?: AnyEvent[]; cycle?: AnyEvent[]; group?: AnyEvent[] };
	type CompactedKeyframe = Omit<trace.Keyframe, keyof Events> & Events;
	type TraceChunk = Omit<trace.TraceChunk, "keyframe" | "events"> & {
		keyframe: CompactedKeyframe | WholeKeyframe;
		events: AnyEvent[];
	};
	type Verdict = trace.Verdict;
	type ChunkStore = import("./trace/chunk_store.js").ChunkStore;
	type Geometry = import("./steps/filter/lanes.js").Geometry;
	type Player = import("./player/player.js").Player;
	type RunIndex = import("./trace/run_index.js").RunIndex;
	type Timeline = import("./chrome/timeline.js").Timeline;
	type View = import("./view").View;

	/** An element described, for `patch`. */
	interface Description {
		tag: string;
		key: string | undefined;
		props: Record<string, any>;
		children: Child[];
	}
	type Child = Description | string | number | null | undefined | false | any[];
	/** A part of a sentence that can be pointed at. */
	interface Mark {
		text: string;
		kind: "num" | "pod" | "node" | "subject" | "device";
		ref?: string;
	}
	type Part = string | Mark;

	/** A part of the run as it is stored. */
	interface Chunk {
		seq: number;
		first: number;
		time: number;
		events: AnyEvent[];
		keyframe: TraceChunk["keyframe"] | null;
		/** before its first event, and every 512 events after it; [] while it waits for the run's first chunk */
		kept: State[];
		last: boolean;
	}
	interface Listener {
		/** the next one is opened once it has resolved */
		chunk: (chunk: TraceChunk) => unknown;
		/** hello, state, end, error */
		message: (message: any) => void;
		connection: (connection: "open" | "lost" | "closed", code: number) => void;
	}
	interface Early {
		boot: any;
		linkedChunk: number;
		socket: WebSocket;
		came: any[];
	}
	type Outcome = trace.Outcome;
	interface AttemptColumn {
		kind: "attempt";
		step: number;
		time: number;
		attempt: number;
		pod: string;
		outcome: Outcome | null;
		node: string;
		victims: number;
		/** the step at which its outcome is known */
		end: number;
	}
	interface GapColumn {
		kind: "gap";
		step: number;
		time: number;
		from: number;
		changes: { step: number; text: string; kind: string }[];
	}
	type Column = AttemptColumn | GapColumn;
	/** An action of another actor, as the timeline marks it; `name`: its object. */
	interface Act {
		column: number;
		step: number;
		kind: "created" | "deleted" | "node";
		name: string;
	}
	interface Move {
		column: number;
		step: number;
		place: string;
		node: string;
	}

	/** The state between two events. */
	interface State {
		step: number;
		time: number;
		attempt: number;
		nodes: Map<string, NodeState>;
		order: string[];
		pods: Map<string, PodState>;
		/** volumes and claims, by kind and name */
		storage: Map<string, import("./trace/trace").Storage>;
		/** ResourceClaims, by "namespace/name" */
		claims: Map<string, trace.ClaimState>;
		/** ResourceSlices, by name */
		slices: Map<string, trace.SliceState>;
		/** events of the scheduling cycle in progress, by type */
		cycle: Record<string, any>;
		/** the pod group cycle in progress, or the last one; null after an attempt of a single pod */
		group: GroupCycle | null;
		pod_groups: Map<string, PodGroupRecord>;
		/** Deployments, Jobs, budgets ..., by "kind namespace/name" */
		workloads: Map<string, WorkloadRecord>;
		finished: boolean;
		deleted: string[];
		title: string;
		profiles: string[];
		plugins: Record<string, Record<string, [string, number][]>>;
		feature_gates: Record<string, boolean>;
		/** by plugin, the cluster events that it registered */
		wakes: Record<string, string[]>;
		kubernetes_version: string;
		/** whether a keyframe's compacted log is being applied, in which events are missing */
		replay: boolean;
	}
	/** The events about a group as a whole in one cycle; `placement` is the one being tried, or tried last. */
	interface GroupCycle {
		started: trace.PodGroupCycleStarted;
		runs: trace.PodGroupEvaluated[];
		placement?: trace.PlacementStarted;
		scored?: trace.PlacementsScored;
		preemption?: trace.PodGroupPreemptionEvaluated;
		decided?: trace.PodGroupDecided;
		condition?: trace.PodGroupConditionWritten;
		finished?: trace.PodGroupCycleFinished;
	}
	interface WorkloadRecord {
		state: trace.WorkloadState;
		status: Record<string, number | string>;
		conditions: trace.ConditionState[];
	}
	interface PodGroupRecord {
		summary: trace.PodGroupSummary;
		/** PodGroupScheduled */
		condition: trace.PodGroupState | null;
	}
	/**
	 * scheduling: popped, its scheduling cycle runs; waiting: on Permit; binding: its binding cycle runs; outside:
	 * unbound, and no profile of this scheduler is responsible for it; new: not yet in the queue
	 */
	type Place =
		| "gated"
		| "active"
		| "backoff"
		| "unschedulable"
		| "scheduling"
		| "waiting"
		| "binding"
		| "bound"
		| "outside"
		| "finished"
		| "new";
	interface PodState {
		summary: PodSummary;
		place: Place;
		/** bound, assumed or waiting there */
		node: string;
		nominated_node: string;
		timestamp: number;
		sequence: number;
		attempts: number;
		backoff_until: number | null;
		error_backoff: boolean;
		unschedulable_plugins: string[];
		/** of the PodScheduled condition */
		message: string;
		/** the time at which a pod that is being deleted is gone; null for other pods */
		gone_at: number | null;
		/** seconds that it has to stop, once its deletion was requested */
		grace: number | null;
		/** the condition Ready; null where no kubelet reports it */
		ready: boolean | null;
		restarts: number;
		/** as its kubelet reported it; "" without a report */
		phase: string;
		start_time: number | null;
		/** waiting on Permit until then */
		deadline: number | null;
		/** the cluster event of its last move */
		moved_by: string;
		hints: trace.Hint[];
	}
	interface NodeState {
		summary: trace.NodeSummary;
		/** sum of what its pods request */
		requested: Record<string, number>;
		/** assumed and bound, in order of arrival */
		pods: string[];
		/** the condition Ready, once it has changed */
		ready?: string;
	}
	/** As written by schema 1: fields with their default are left out. */
	type StoredPod = Partial<PodState> & Pick<PodState, "summary" | "place">;
	type StoredNode = Partial<NodeState> & Pick<NodeState, "summary">;
	/** A keyframe of schema 1. */
	type WholeKeyframe = Omit<State, "nodes" | "pods" | "group" | "pod_groups" | "workloads"> & {
		nodes: Record<string, StoredNode>;
		pods: Record<string, StoredPod>;
	};

	/** The texts of a scenario: /api/v1/scenarios/<id>/versions/<n>/words. */
	interface Words {
		description: string;
		look_at: string;
		captions: { attempt: number; event: string; text: string }[];
		questions: import("./learn/questions.js").Asked[];
	}
	interface Caption {
		eyebrow: Part[];
		sentence: Part[];
		why: Part[];
		next: Part[];
		/** the frames that are folded into this one, in words; `unfold` shows them */
		folded?: { text: string; unfold(): void };
	}
	/** The values from which a caption is made. */
	interface Context {
		/** after the event */
		state: State;
		event: any;
		frame: number;
		order: "plugin" | "node";
		/** the next event */
		following?: any;
		explainer?: import("./trace/explainer.js").Explainer;
		subject?: string;
	}

	/** The verdicts of Filter in a cycle. */
	interface Filtered {
		/** those that ran, in order */
		plugins: string[];
		/** evaluated nodes, in the order in which they were looked at */
		names: string[];
		/** the same, with a nominated node twice that was tried first and did not fit */
		walk: string[];
		/** by node: the index of the plugin that stopped it */
		/** `others`: predicates that fail there too, where every one is checked. */
		at: Map<string, { stop: number; verdict: (Verdict & { others?: string[] }) | null }>;
		feasible: string[];
		/** the number of nodes left after each plugin */
		left: number[];
		total: number;
		evaluated: number;
		toFind: number;
		start: number;
		twoPasses: string[];
		nominatedFirst: string | null;
		/** it was not nominated: the pod before, which is alike, had it as its next best */
		hinted: boolean;
		/** Every predicate is checked on every node (alwaysCheckAllPredicates), and a node fails several. */
		every: boolean;
	}
	/** The values from which lanes are drawn. */
	interface Lanes {
		phase: "filter" | "score";
		plugins: string[];
		/** the current plugin; -1 before the first */
		at: number;
		model: Filtered | null;
		/** by node: those looked at so far */
		seen: Set<string> | null;
		/** by node: the one looked at last */
		latest: string;
		geometry: Geometry;
		mode: "heads" | "middle" | "thin";
		/** of a name, in low rows */
		letters?: number;
		scores: Scores | null;
		totals: number[];
		rank: number[];
		/** the number of plugins whose points are added */
		scored: number;
		chosen: string;
		/** The amount of a bar of full length. */
		longest: (resource: string) => number;
	}
	/** A preemption in frames. */
	interface Preemption {
		event: PreemptionEvaluated;
		candidates: Candidate[];
		chosen: Candidate | undefined;
		/** the number of candidates; of very many, only those that were ruled out last are in `candidates` */
		all: number;
		/** the number of frames with reprieves */
		ranks: number;
		/** the number of criteria that were needed */
		criteria: number;
	}

	/** A comparison that a plugin made. */
	interface Fact {
		key: string;
		left: string;
		op: string;
		right: string;
		holds: boolean;
		values?: Record<string, number | string>;
		text: string;
		field?: string;
	}
	interface FilterExplanation {
		plugin: string;
		code: string;
		reasons: string[];
		evaluated?: boolean;
		facts?: Fact[];
	}
	interface ScoreExplanation {
		plugin: string;
		raw: number;
		normalized: number;
		weight: number;
		weighted: number;
		arithmetic?: string[];
		facts?: Fact[];
	}
	interface NodeExplanation {
		node: string;
		filters?: FilterExplanation[];
		scores?: ScoreExplanation[];
	}
}
