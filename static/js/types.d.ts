/** The types that most modules speak of, by their bare names. */
import type * as trace from "./trace";
import type * as state from "./state.js";

declare global {
  type AnyEvent = trace.AnyEvent;
  type Candidate = trace.Candidate;
  type NodesFiltered = trace.NodesFiltered;
  type PodSummary = trace.PodSummary;
  type PreemptionEvaluated = trace.PreemptionEvaluated;
  type TraceChunk = trace.TraceChunk;
  type Verdict = trace.Verdict;
  type NodeState = state.NodeState;
  type PodState = state.PodState;
  type State = state.State;
  type Caption = import("./captions.js").Caption;
  type Context = import("./captions.js").Context;
  type Child = import("./dom.js").Child;
  type ChunkStore = import("./chunk_store.js").ChunkStore;
  type Fact = import("./explain.js").Fact;
  type Filtered = import("./model/filter.js").Filtered;
  type Geometry = import("./views/funnel.js").Geometry;
  type Lanes = import("./views/lanes.js").Lanes;
  type Part = import("./i18n.js").Part;
  type Player = import("./player.js").Player;
  type RunIndex = import("./run_index.js").RunIndex;
  type Scores = import("./model/scores.js").Scores;
  type Theatre = import("./model/preemption.js").Theatre;
  type Timeline = import("./views/timeline.js").Timeline;
  type View = import("./view").View;
}
