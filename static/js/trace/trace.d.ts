/** Generated from scheduler_core/trace by `manage.py trace_types`. Do not edit. */

export type Column = number | string;
export type Outcome = "Scheduled" | "Nominated" | "Unschedulable" | "Error";
export type StatusCode = "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
export type GroupOutcome = "Scheduled" | "WaitingOnPreemption" | "Unschedulable" | "Error";

/** What one plugin's QueueingHintFn said to a cluster event: does it wake the pod? */
export interface Hint {
  plugin: string;
  hint: "Queue" | "QueueSkip";
}

/** A node as the player draws it. */
export interface NodeSummary {
  name: string;
  allocatable: Record<string, number>;
  labels?: Record<string, string>;
  taints?: [string, string, string][];
  unschedulable?: boolean;
  images?: Record<string, number>;
}

/** What a pod asks of its place beyond room, in `kubectl`'s notation. */
export interface Wish {
  kind: "node" | "tolerates" | "near" | "apart" | "spread" | "claim" | "port";
  value: string;
  key?: string;
  number?: number;
  soft?: boolean;
}

/** A PersistentVolume or PersistentVolumeClaim as the player draws it. `bound` names the other one of the pair. */
export interface Storage {
  kind: "PersistentVolume" | "PersistentVolumeClaim";
  name: string;
  namespace?: string;
  size?: number;
  storage_class?: string;
  bound?: string;
  reach?: string;
}

/** A PodDisruptionBudget when preemption asked it: `allowed` = `healthy` - `desired`, not below 0. */
export interface BudgetNow {
  name: string;
  namespace: string;
  allowed: number;
  rule?: string;
  expected?: number;
  healthy?: number;
  desired?: number;
}

/** A pod as the player draws it. Requests are what NodeResourcesFit counts. */
export interface PodSummary {
  pod: string;
  priority?: number;
  requests?: Record<string, number>;
  labels?: Record<string, string>;
  node?: string;
  start_time?: number | null;
  gates?: string[];
  nominated_node?: string;
  scheduler?: string;
  never_preempts?: boolean;
  owner?: string;
  wishes?: Wish[];
  pod_group?: string;
}

/** Nodes as columns, a value per node. What nodes that are alike have in common stands once, in `kinds`. */
export interface NodeColumns {
  kinds: NodeSummary[];
  keys: string[][];
  nodes: string[];
  kind: number[];
  labels: string[][];
}

/** Pods as columns, a value per pod. What pods that are alike have in common stands once, in `kinds`. */
export interface PodColumns {
  kinds: PodSummary[];
  pods: string[];
  kind: number[];
  node: number[];
  start_time: (number | null)[];
}

/** A PodGroup as the player draws it. `min_count` None: the policy is basic, members are not held together. */
export interface PodGroupSummary {
  pod_group: string;
  min_count?: number | null;
  topology_key?: string;
  priority?: number;
  disruption_mode?: "Pod" | "PodGroup";
}

/** The condition PodGroupScheduled of a PodGroup. */
export interface PodGroupState {
  status: "True" | "False";
  reason: string;
  message?: string;
}

/** How a member fared while its group was tried. `permit` "": it fits nowhere, and `message` says why. */
export interface GroupMember {
  pod: string;
  node?: string;
  permit?: "" | "Wait" | "Success";
  requires_preemption?: boolean;
  message?: string;
}

/** What a placement that holds the group scored: by plugin (normalized and weighted), and in all. */
export interface PlacementScore {
  placement: string;
  total: number;
  scores: Record<string, number>;
}

/** What can only be evicted together: a pod, or the members of a group with disruptionMode PodGroup. */
export interface VictimUnit {
  pods: string[];
  priority: number;
  reprieved: boolean;
  pod_group?: string;
  violates_pdb?: boolean;
}

/** One thing that an update changed; None where it was not there before, or is not there after. */
export interface FieldChange {
  field: "label" | "taint" | "unschedulable" | "allocatable" | "request" | "bound" | "storage" | "class" | "node";
  name: string;
  before?: string | number | null;
  after?: string | number | null;
}

/** One distinct filter result: the plugin that rejected, its code and its reasons. */
export interface Verdict {
  plugin: string;
  code: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
  reasons: string[];
}

/** One score plugin over the feasible nodes. Weighted is `normalized * weight`; `raw` is None where equal to it. */
export interface PluginScores {
  plugin: string;
  weight: number;
  normalized: number | string;
  raw?: number | string | null;
}

/** One step of giving pods back to a candidate node: the pod either fits again (reprieved) or becomes a victim. */
export interface Reprieve {
  pod: string;
  reprieved: boolean;
  violates_pdb?: boolean;
}

/** One node's dry run in preemption. `rung` is the criterion (1 to 6) that dropped it, 0 for the chosen one. */
export interface Candidate {
  node: string;
  victims: string[];
  pdb_violations: number;
  removed: string[];
  reprieve: Reprieve[];
  rung?: number;
  highest_priority?: number;
  priority_sum?: number;
  earliest_start?: number | null;
}

/** Candidates as columns: a value per candidate, or one per pod, candidate after candidate. */
export interface DryRuns {
  nodes: string[];
  removed: string[];
  removed_counts: number[];
  tried: number[];
  reprieved: boolean[];
  violates_pdb: boolean[];
  victims: number[];
  victim_counts: number[];
  pdb_violations: number[];
  rung: number[];
  highest_priority: number[];
  priority_sum: number[];
  earliest_start: number[];
}

/** The rest of very many candidates of preemption, one value per candidate, in the candidates' order. */
export interface MoreCandidates {
  count: number;
  row: number | string;
  victims: number | string;
  pdb_violations: number | string;
  rung: number | string;
}

/** A pod that an event does not help, and what each plugin that was asked said. */
export interface KeptWaiting {
  pod: string;
  hints: Hint[];
}

/** One plugin's answer at PreFilter; `nodes` when it narrows the search to those names. */
export interface PreFilterResult {
  plugin: string;
  code: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
  reasons?: string[];
  nodes?: string[] | null;
}

/** A plugin's answer at Reserve, Permit, PreBind, Bind or PostBind. */
export interface PointRun {
  plugin: string;
  code?: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
  reasons?: string[];
  timeout?: number | null;
}

/** The first event: the cluster as it was loaded. Pending pods follow as PodEnqueued, PodGated or PodIgnored. */
export interface RunStarted {
  type: "RunStarted";
  title: string;
  engine_version: string;
  profiles: string[];
  order: number[];
  nodes?: NodeSummary[];
  pods?: PodSummary[];
  plugins?: Record<string, Record<string, [string, number][]>>;
  seed?: number | null;
  schema?: number;
  feature_gates?: Record<string, boolean>;
  kubernetes_version?: string;
  storage?: Storage[];
  wakes?: Record<string, string[]>;
  pod_groups?: PodGroupSummary[];
  loaded?: PodColumns | null;
  loaded_nodes?: NodeColumns | null;
}

/** Virtual time moved on, and why: what is due now. */
export interface ClockAdvanced {
  type: "ClockAdvanced";
  time: number;
  cause: "event" | "termination" | "backoff" | "unschedulable-flush" | "permit-timeout" | "binding" | "preemption" | "end";
}

/** An object was created or updated by the timeline (`at` is now). What is drawn carries its summary. */
export interface ObjectApplied {
  type: "ObjectApplied";
  action: "create" | "update";
  kind: string;
  name: string;
  namespace?: string;
  node?: NodeSummary | null;
  pod?: PodSummary | null;
  order?: string[] | null;
  changes?: FieldChange[];
  storage?: Storage | null;
  pod_group?: PodGroupSummary | null;
}

/** An object is gone. A pod leaves its node or queue. */
export interface ObjectDeleted {
  type: "ObjectDeleted";
  kind: string;
  name: string;
  namespace?: string;
  order?: string[] | null;
  cause?: "timeline" | "preemption";
}

/** A pod entered activeQ, backoffQ or unschedulablePods, or moved between them. */
export interface PodEnqueued {
  type: "PodEnqueued";
  pod: string;
  queue: "active" | "backoff" | "unschedulable";
  event: string;
  timestamp: number;
  sequence: number;
  hints?: Hint[];
  backoff_until?: number | null;
  error_backoff?: boolean;
}

/** A cluster event that plugins were asked about and that helps none of these pods: they stay where they are. */
export interface PodsKeptWaiting {
  type: "PodsKeptWaiting";
  event: string;
  pods: KeptWaiting[];
  count: number;
}

/** A PreEnqueue plugin keeps the pod out of activeQ. */
export interface PodGated {
  type: "PodGated";
  pod: string;
  plugin: string;
  message: string;
  timestamp: number;
  sequence: number;
  event?: string;
}

/** No profile is responsible for the pod's schedulerName: this scheduler leaves it alone. */
export interface PodIgnored {
  type: "PodIgnored";
  pod: string;
  scheduler: string;
}

/** A pod was popped; its scheduling cycle begins. `source` names the queue that it was popped from. */
export interface CycleStarted {
  type: "CycleStarted";
  attempt: number;
  pod: string;
  profile: string;
  pod_attempts: number;
  source?: "active" | "backoff";
  pod_group?: string;
}

/** PreFilter ran. `rejected_by` is None when the cycle goes on; `nodes` is the intersection of what was narrowed. */
export interface PreFilterFinished {
  type: "PreFilterFinished";
  results: PreFilterResult[];
  rejected_by?: string | null;
  code?: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending" | null;
  reasons?: string[];
  nodes?: string[] | null;
}

/** Filter ran over the nodes `rows`, in this order (indexes into the snapshot's order at this moment). */
export interface NodesFiltered {
  type: "NodesFiltered";
  plugins: string[];
  start: number;
  evaluated: number;
  total: number;
  nodes_to_find: number;
  verdicts: Verdict[];
  verdict: number | string;
  feasible: number;
  rows?: number | string | null;
  nominated_first?: string | null;
  nominated_verdict?: number;
  hinted?: boolean;
  two_passes?: string[];
  extenders?: [string, string, string][];
}

/** Score ran over the feasible nodes `rows` (in the order found); `total` is the sum of the weighted scores. */
export interface ScoresComputed {
  type: "ScoresComputed";
  rows: number | string;
  count: number;
  plugins: PluginScores[];
  total: number | string;
  skipped?: string[];
  extenders?: PluginScores[];
}

/** The node with the highest total. `tied` nodes share it; `ties` are the first of them, in the order found. */
export interface HostSelected {
  type: "HostSelected";
  node: string;
  feasible: number;
  evaluated: number;
  score?: number | null;
  ties?: string[];
  tied?: number;
  by_heap?: boolean;
}

/** The cache counts the pod on the node from here on, before it is bound. */
export interface PodAssumed {
  type: "PodAssumed";
  pod: string;
  node: string;
}

/** Reserve ran. */
export interface PodReserved {
  type: "PodReserved";
  pod: string;
  results: PointRun[];
}

/** Unreserve ran in reverse order and the assumed pod was forgotten: the rollback. */
export interface PodUnreserved {
  type: "PodUnreserved";
  pod: string;
  node: string;
  plugins: string[];
}

/** Permit ran. `code` Wait: the pod waits until `deadline`, or until a plugin allows or rejects it. */
export interface PermitEvaluated {
  type: "PermitEvaluated";
  pod: string;
  node: string;
  code: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
  results: PointRun[];
  deadline?: number | null;
}

/** A waiting pod was allowed, rejected by a plugin, or timed out. */
export interface PermitDecided {
  type: "PermitDecided";
  pod: string;
  decision: "allowed" | "rejected" | "timeout";
  plugin: string;
  message?: string;
}

/** PreBind ran. */
export interface PodPreBound {
  type: "PodPreBound";
  pod: string;
  node: string;
  results: PointRun[];
}

/** Bind and PostBind ran: the binding cycle ended, the pod runs on the node. `message` as the Scheduled event. */
export interface PodBound {
  type: "PodBound";
  pod: string;
  node: string;
  results?: PointRun[];
  start_time?: number | null;
  message?: string;
}

/** Reserve, Permit, PreBind or Bind failed; PodUnreserved and SchedulingFailed follow. */
export interface BindingFailed {
  type: "BindingFailed";
  pod: string;
  node: string;
  point: "Reserve" | "Permit" | "PreBind" | "Bind";
  plugin: string;
  code: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
  message: string;
}

/** The attempt failed. `message` is the text of the PodScheduled condition and the FailedScheduling event, whole. */
export interface SchedulingFailed {
  type: "SchedulingFailed";
  pod: string;
  outcome: "Scheduled" | "Nominated" | "Unschedulable" | "Error";
  reason: "Unschedulable" | "SchedulerError";
  message: string;
  unschedulable_plugins: string[];
  pending_plugins?: string[];
  nominated_node?: string;
}

/** A plugin asked for the pod to be moved to activeQ at once (Activate). */
export interface PodActivated {
  type: "PodActivated";
  pod: string;
  by: string;
}

/** All that an attempt caused has been delivered; the queues are as the next attempt finds them. */
export interface AttemptFinished {
  type: "AttemptFinished";
  attempt: number;
  pod: string;
  outcome: "Scheduled" | "Nominated" | "Unschedulable" | "Error";
  node?: string;
}

/** Nothing can happen any more (or untilSeconds was reached). */
export interface RunFinished {
  type: "RunFinished";
  time: number;
  bound: Record<string, string>;
  deleted: string[];
  pending: string[];
  pod_groups?: Record<string, PodGroupState | null> | null;
  stayed?: number;
}

/** DefaultPreemption's PostFilter ran (or was not reached: see `message`). */
export interface PreemptionEvaluated {
  type: "PreemptionEvaluated";
  eligible: boolean;
  reason: string;
  candidates?: Candidate[];
  dry_runs?: DryRuns | null;
  nominated_node?: string;
  victims?: string[];
  unhelpful?: number;
  failed?: Record<string, Verdict>;
  message?: string;
  candidates_wanted?: number;
  extenders?: string[];
  more_failed?: number;
  more?: MoreCandidates | null;
  budgets?: BudgetNow[];
}

/** The preemptor's victim was deleted; it is gone at `gone_at` (now, or after its termination seconds). */
export interface VictimEvicted {
  type: "VictimEvicted";
  pod: string;
  node: string;
  preemptor: string;
  gone_at: number;
}

/** With SchedulerAsyncPreemption: the victims will be deleted beside the next cycles, one call after another. */
export interface PreemptionStarted {
  type: "PreemptionStarted";
  pod: string;
  node: string;
  victims: string[];
}

/** All calls of that preemption have been sent; or one failed, for the reason `error`, and no more are sent. */
export interface PreemptionFinished {
  type: "PreemptionFinished";
  pod: string;
  error?: string;
}

/** The pod's status.nominatedNodeName is set: room on the node is kept for it. */
export interface PodNominated {
  type: "PodNominated";
  pod: string;
  node: string;
}

/** The pod's nomination ended: bound, preempted by a higher priority, or its own new attempt failed. */
export interface NominationCleared {
  type: "NominationCleared";
  pod: string;
  node: string;
  cause: "preempted-by-higher-priority" | "attempt-failed" | "bound" | "deleted";
}

/** A member of a group was popped, and with it all its fellows that wait for a node; they are tried in this order. */
export interface PodGroupCycleStarted {
  type: "PodGroupCycleStarted";
  cycle: number;
  pod_group: string;
  profile: string;
  pods: string[];
  pod_attempts: number[];
  first_attempt: number;
  min_count?: number | null;
  scheduled?: number;
  topology_key?: string;
  source?: "active" | "backoff";
}

/** The group is tried on these nodes alone: those with one value of the topology key, or (name "") on all. */
export interface PlacementStarted {
  type: "PlacementStarted";
  pod_group: string;
  placement: string;
  nodes: string[];
  number: number;
  count: number;
}

/** All members were tried one after the other, each beside those before it. Nothing has been bound yet. */
export interface PodGroupEvaluated {
  type: "PodGroupEvaluated";
  pod_group: string;
  success: boolean;
  members: GroupMember[];
  placement?: string;
  nodes?: string[] | null;
  waiting_on_preemption?: boolean;
  message?: string;
}

/** Several placements hold the group: the one with the highest total is taken, of equals the first. */
export interface PlacementsScored {
  type: "PlacementsScored";
  pod_group: string;
  placements: PlacementScore[];
  chosen: string;
}

/** WorkloadAwarePreemption looked for victims for the group as a whole. */
export interface PodGroupPreemptionEvaluated {
  type: "PodGroupPreemptionEvaluated";
  pod_group: string;
  status: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
  message?: string;
  victims?: string[];
  simulations?: number;
  units?: VictimUnit[];
}

/** What becomes of the group. Scheduled: members that have a node are bound now. Else all come back to the queue. */
export interface PodGroupDecided {
  type: "PodGroupDecided";
  pod_group: string;
  outcome: "Scheduled" | "WaitingOnPreemption" | "Unschedulable" | "Error";
  message?: string;
  placement?: string | null;
}

/** What the group's decision means for one member follows: its way to its node, or back to the queue. */
export interface PodGroupMemberDecided {
  type: "PodGroupMemberDecided";
  pod: string;
  pod_group: string;
  attempt: number;
  profile: string;
  pod_attempts: number;
  node?: string;
}

/** The condition PodGroupScheduled that the cycle wants to write. `kept`: True stands there already and is never */
export interface PodGroupConditionWritten {
  type: "PodGroupConditionWritten";
  pod_group: string;
  status: "True" | "False";
  reason: string;
  message?: string;
  kept?: boolean;
  absent?: boolean;
}

/** All that the cycle caused has been delivered. AttemptFinished follows for each member. */
export interface PodGroupCycleFinished {
  type: "PodGroupCycleFinished";
  cycle: number;
  pod_group: string;
  outcome: "Scheduled" | "WaitingOnPreemption" | "Unschedulable" | "Error";
  waiting_on_permit?: string[];
}

/** What the events before a chunk have left, beside RunStarted. `order` None: as when the run began. */
export interface Keyframe {
  step: number;
  time: number;
  since?: (RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | PreemptionEvaluated | VictimEvicted | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | ScoresComputed | HostSelected | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished)[];
  cycle?: (RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | PreemptionEvaluated | VictimEvicted | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | ScoresComputed | HostSelected | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished)[];
  group?: (RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | PreemptionEvaluated | VictimEvicted | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | ScoresComputed | HostSelected | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished)[];
  order?: string[] | null;
}

/** A piece of a run that is read with the run's first one: the state before its first event, and the events. */
export interface TraceChunk {
  seq: number;
  first_step: number;
  keyframe: Keyframe;
  events: (RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | PreemptionEvaluated | VictimEvicted | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | ScoresComputed | HostSelected | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished)[];
  last: boolean;
}

/** Of a chunk of any version, what all have in common. */
export interface _Events {
  events: (RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | PreemptionEvaluated | VictimEvicted | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | ScoresComputed | HostSelected | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished)[];
}

export type AnyEvent =
  | RunStarted
  | ClockAdvanced
  | ObjectApplied
  | ObjectDeleted
  | PodEnqueued
  | PodsKeptWaiting
  | PodGated
  | PodIgnored
  | CycleStarted
  | PreFilterFinished
  | NodesFiltered
  | PreemptionEvaluated
  | VictimEvicted
  | PreemptionStarted
  | PreemptionFinished
  | PodNominated
  | NominationCleared
  | ScoresComputed
  | HostSelected
  | PodAssumed
  | PodReserved
  | PodUnreserved
  | PermitEvaluated
  | PermitDecided
  | PodPreBound
  | PodBound
  | BindingFailed
  | SchedulingFailed
  | PodActivated
  | AttemptFinished
  | RunFinished
  | PodGroupCycleStarted
  | PlacementStarted
  | PodGroupEvaluated
  | PlacementsScored
  | PodGroupPreemptionEvaluated
  | PodGroupDecided
  | PodGroupMemberDecided
  | PodGroupConditionWritten
  | PodGroupCycleFinished;
