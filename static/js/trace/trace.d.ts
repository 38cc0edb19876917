/** Generated from scheduler_core/trace by `manage.py generate`. Do not edit. */

export type Column = number | string;
export type Outcome = "Scheduled" | "Nominated" | "Unschedulable" | "Error";
export type StatusCode = "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
export type GroupOutcome = "Scheduled" | "WaitingOnPreemption" | "Unschedulable" | "Error";

/** A plugin's queueing hint for a cluster event: whether the pod is retried. */
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

/** A requirement of a pod besides resources, in `kubectl`'s notation. */
export interface Wish {
  kind: "node" | "tolerates" | "near" | "apart" | "spread" | "claim" | "port" | "device";
  value: string;
  key?: string;
  number?: number;
  soft?: boolean;
}

/** A PersistentVolume or PersistentVolumeClaim as the player draws it. `bound` is its claim or volume. */
export interface Storage {
  kind: "PersistentVolume" | "PersistentVolumeClaim";
  name: string;
  namespace?: string;
  size?: number;
  storage_class?: string;
  bound?: string;
  reach?: string;
}

/** A requirement for the nodes on which an allocation can be used: a `field` of the node, or a label. */
export interface DeviceRequirement {
  key: string;
  operator: string;
  values?: string[];
  field?: boolean;
}

/** A device: its attributes and capacities as text, its taints, and its consumption of the pool's counters. */
export interface DeviceModel {
  attributes?: Record<string, string>;
  capacity?: Record<string, string>;
  taints?: string[];
  consumes?: Record<string, string>;
  shareable?: boolean;
}

/** A ResourceSlice: devices of a pool that a driver provides on a node, or (without `node`) on several. */
export interface SliceState {
  name: string;
  driver: string;
  pool: string;
  node?: string;
  devices?: string[];
  models?: DeviceModel[];
  model?: number[];
  counters?: Record<string, string>;
}

/** A device that is allocated to a claim, with the details of its result (DeviceRequestAllocationResult). */
export interface GivenDevice {
  request: string;
  driver: string;
  pool: string;
  device: string;
  admin_access?: boolean | null;
  tolerations?: ([string, string, string, string, number | null])[];
  binding_conditions?: string[];
  binding_failure_conditions?: string[];
  share_id?: string;
  consumed?: Record<string, string>;
}

/** A ResourceClaim: the devices that are allocated to it, the nodes where they can be used, and its consumers. */
export interface ClaimState {
  claim: string;
  allocated?: boolean;
  devices?: GivenDevice[];
  nodes?: DeviceRequirement[][] | null;
  configs?: number;
  reserved_for?: string[];
  deleting?: boolean;
}

/** A NodeClaim of Karpenter. `types`, `requirements` and `requests` are in the event that creates it only. */
export interface NodeClaimState {
  pool: string;
  types?: string[];
  requirements?: Record<string, string[]>;
  requests?: Record<string, string>;
  instance_type?: string;
  zone?: string;
  capacity_type?: string;
  conditions?: Record<string, string[]>;
  deleting?: boolean;
}

/** A PodDisruptionBudget during preemption: `allowed` = `healthy` - `desired`, at least 0. */
export interface BudgetNow {
  name: string;
  namespace: string;
  allowed: number;
  rule?: string;
  expected?: number;
  healthy?: number;
  desired?: number;
}

/** A pod as the player draws it. Its requests are those of NodeResourcesFit. */
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

/** The cause of a write: a name with the numbers and names that belong to it (controllers/causes.py). */
export interface Because {
  name: string;
  values?: Record<string, string | number | number>;
}

/** A condition of an object. */
export interface ConditionState {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

/** A workload as the player draws it. `called`: its name by owner and number, "web@1"; `size` None: it has none. */
export interface WorkloadState {
  called: string;
  size?: number | null;
  owner?: string;
  revision?: number;
  paused?: boolean;
  details?: Record<string, string | number>;
}

/** Nodes as columns, one value per node. Values shared by nodes are stored once, in `kinds`. */
export interface NodeColumns {
  kinds: NodeSummary[];
  keys: string[][];
  nodes: string[];
  kind: number[];
  labels: string[][];
}

/** Pods as columns, one value per pod. Values shared by pods are stored once, in `kinds`. */
export interface PodColumns {
  kinds: PodSummary[];
  pods: string[];
  kind: number[];
  node: number[];
  start_time: (number | null)[];
}

/** A PodGroup as the player draws it. `min_count` None: the policy is basic. */
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

/** The result of a member while its group was tried. `permit` "": no node fits; `message` is the reason. */
export interface GroupMember {
  pod: string;
  node?: string;
  permit?: "" | "Wait" | "Success";
  requires_preemption?: boolean;
  message?: string;
}

/** The scores of a placement that can hold the group: by plugin (normalized and weighted), and in total. */
export interface PlacementScore {
  placement: string;
  total: number;
  scores: Record<string, number>;
}

/** Pods that can only be evicted together: a single pod, or the members of a group with disruptionMode PodGroup. */
export interface VictimUnit {
  pods: string[];
  priority: number;
  reprieved: boolean;
  pod_group?: string;
  violates_pdb?: boolean;
}

/** A field that an update changed. `before` and `after` are None where there is no value. */
export interface FieldChange {
  field: "label" | "taint" | "unschedulable" | "allocatable" | "request" | "bound" | "storage" | "class" | "node";
  name: string;
  before?: string | number | null;
  after?: string | number | null;
}

/** A distinct filter result: the plugin that rejected, its code and its reasons. */
export interface Verdict {
  plugin: string;
  code: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
  reasons: string[];
}

/** The scores of a plugin for the feasible nodes. Weighted: `normalized * weight`; `raw` None: `normalized`. */
export interface PluginScores {
  plugin: string;
  weight: number;
  normalized: number | string;
  raw?: number | string | null;
}

/** A step of restoring the pods of a candidate node: the pod either fits again (reprieved) or becomes a victim. */
export interface Reprieve {
  pod: string;
  reprieved: boolean;
  violates_pdb?: boolean;
}

/** The dry run of preemption on a node. `rung` is the criterion (1 to 6) that dropped it, 0 for the selected one. */
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

/** Candidates as columns: one value per candidate, or one per pod, candidate after candidate. */
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

/** Further candidates of a preemption as columns: one value per candidate, in the candidates' order. */
export interface MoreCandidates {
  count: number;
  row: number | string;
  victims: number | string;
  pdb_violations: number | string;
  rung: number | string;
}

/** A pod that an event does not help, with the hint of each plugin that was called. */
export interface KeptWaiting {
  pod: string;
  hints: Hint[];
}

/** The result of a plugin at PreFilter; `nodes` if it limits the search to those names. */
export interface PreFilterResult {
  plugin: string;
  code: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
  reasons?: string[];
  nodes?: string[] | null;
}

/** The result of a plugin at Reserve, Permit, PreBind, Bind or PostBind. */
export interface PointRun {
  plugin: string;
  code?: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
  reasons?: string[];
  timeout?: number | null;
}

/** The cloud was asked to change the size of a node group by `delta`; `target` is the size that it now aims at. */
export interface NodeGroupResized {
  type: "NodeGroupResized";
  group: string;
  delta: number;
  target: number;
  nodes?: string[];
  error?: string;
}

/** New nodes of a group or pool that would help pods. `scores`: by expander. */
export interface EvaluatedOption {
  group: string;
  nodes: number;
  pods: string[];
  pod_count: number;
  chosen?: boolean;
  scores?: Record<string, number>;
  types?: string[];
  type_count?: number;
  price?: number | null;
}

/** The reason that new nodes of a group ("": of any pool) do not help some pods, as the autoscaler words it. */
export interface EvaluatedRefusal {
  group: string;
  reason: string;
  pods: string[];
  pod_count: number;
}

/** The decision about a node. `moves`: the new nodes of its pods in a simulation; `stranded`: a pod without any. */
export interface EvaluatedNode {
  node: string;
  outcome: "stays" | "unneeded" | "delete" | "replace";
  reason?: string;
  moves?: [string, string][];
  stranded?: string;
}

/** An autoscaler evaluated new nodes for `waiting` pods. Lists are limited (MOST_OPTIONS and so on). */
export interface ScaleUpEvaluated {
  type: "ScaleUpEvaluated";
  by: string;
  waiting: number;
  options?: EvaluatedOption[];
  refusals?: EvaluatedRefusal[];
}

/** An autoscaler evaluated which nodes can be removed; these come first. `more`: the number of nodes left out. */
export interface ScaleDownEvaluated {
  type: "ScaleDownEvaluated";
  by: string;
  nodes: EvaluatedNode[];
  more?: number;
  replacements?: EvaluatedOption[];
}

/** The status of a workload, budget, quota or autoscaler was written, with all fields, not only the changed ones. */
export interface WorkloadStatusWritten {
  type: "WorkloadStatusWritten";
  kind: string;
  name: string;
  namespace: string;
  status: Record<string, number | string>;
  conditions?: ConditionState[];
  order?: string[] | null;
}

/** A pod got its deletionTimestamp and has `grace` seconds. It ends at `gone_at`, unless its node is lost. */
export interface PodDeletionRequested {
  type: "PodDeletionRequested";
  pod: string;
  grace: number;
  by: string;
  because: Because;
  gone_at?: number | null;
}

/** The kubelet reported the phase Running. */
export interface PodStarted {
  type: "PodStarted";
  pod: string;
}

/** The condition Ready of a pod changed. */
export interface PodReadinessChanged {
  type: "PodReadinessChanged";
  pod: string;
  ready: boolean;
  by?: string;
}

/** The containers of a pod ended and will start again at `at`, after the back-off of its kubelet. */
export interface PodRestarted {
  type: "PodRestarted";
  pod: string;
  exit_code: number;
  restarts: number;
  at: number;
}

/** A pod's phase became Succeeded or Failed: it no longer uses resources of its node, but still exists. */
export interface PodFinished {
  type: "PodFinished";
  pod: string;
  phase: string;
  by: string;
  exit_code?: number | null;
  reason?: string;
  terminating?: boolean;
}

/** A controller or kubelet set a condition of a pod: DisruptionTarget, or one of a resize. */
export interface PodConditionSet {
  type: "PodConditionSet";
  pod: string;
  condition: ConditionState;
  by: string;
}

/** The condition Ready of a node changed: True, False or Unknown. */
export interface NodeConditionChanged {
  type: "NodeConditionChanged";
  kind: string;
  name: string;
  status: string;
  reason: string;
  namespace?: string;
  order?: string[] | null;
}

/** The API server answered a request to evict a pod: 201, or 429 or 500 with the reason. */
export interface EvictionAnswered {
  type: "EvictionAnswered";
  pod: string;
  code: number;
  by: string;
  message?: string;
  causes?: string[];
}

/** A controller recorded a Kubernetes Event that no other event of the trace implies. */
export interface EventRecorded {
  type: "EventRecorded";
  kind: string;
  name: string;
  namespace: string;
  reason: string;
  level: string;
  source: string;
  message: string;
}

/** A request of the scenario's timeline was made: `verb` and the objects that it is about. */
export interface RequestMade {
  type: "RequestMade";
  verb: string;
  about: string[];
  error?: string;
}

/** A claim or class as YAML, line by line. */
export interface ShownDocument {
  kind: "ResourceClaim" | "DeviceClass";
  name: string;
  lines: string[];
}

/** A request, or a subrequest: "gpu", "gpu/large". `count` 0: all that match. */
export interface SearchedRequest {
  claim: string;
  name: string;
  device_class: string;
  count: number;
  of_list?: boolean;
}

/** A pool as the node sees it; a pool with a `problem` provides no devices (before 1.35 an incomplete one does). */
export interface SearchedPool {
  driver: string;
  pool: string;
  devices?: string[];
  problem?: "" | "incomplete" | "invalid" | "elsewhere" | "outdated";
  message?: string;
}

/** One step of the search. `devices` ("driver/pool/device") has several if they were rejected for the same reason. */
export interface DeviceTry {
  kind: "subrequest" | "taken" | "returned" | "held" | "chosen" | "selector" | "constraint" | "taint" | "counters" | "capacity" | "elsewhere" | "empty" | "error";
  request: string;
  claim?: string;
  devices?: string[];
  text?: string;
  document?: number;
  line?: number;
}

/** A request for several devices that the search cannot complete: it finds at most `found` of `wanted` at once. */
export interface DeviceShortage {
  claim: string;
  request: string;
  found: number;
  wanted: number;
}

/** The search on one node. `outcome` "unavailable": its allocated devices cannot be used on this node. */
export interface NodeSearch {
  node: string;
  outcome: "found" | "none" | "unavailable" | "error";
  pools?: SearchedPool[];
  tries?: DeviceTry[];
  unfinished?: boolean;
  found?: [string, string, string][];
  message?: string;
  shortage?: DeviceShortage | null;
}

/** DynamicResources searched for devices on these nodes, in this order, and on `more` other nodes. */
export interface DevicesSearched {
  type: "DevicesSearched";
  claims: string[];
  requests: SearchedRequest[];
  nodes: NodeSearch[];
  documents?: ShownDocument[];
  more?: number;
}

/** An observed decision of the cluster's own scheduler about this attempt's pod, with the simulated decision. */
export interface DecisionObserved {
  type: "DecisionObserved";
  pod: string;
  verdict: "equal" | "tie" | "different" | "unknowable";
  cause?: "" | "score" | "rejected" | "feasible" | "message" | "nomination" | "sampling" | "moment" | "scheduler" | "gone";
  node?: string;
  message?: string;
  nominated_node?: string;
  victims?: string[];
  simulated_node?: string;
  simulated_message?: string;
  simulated_victims?: string[];
  plugin?: string;
  points?: number;
  reasons?: string[];
  note?: string;
  seen?: number;
}

/** A member of a group was popped, together with all other pending members; they are tried in this order. */
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

/** The group is tried on these nodes only: those with one value of the topology key, or (name "") all nodes. */
export interface PlacementStarted {
  type: "PlacementStarted";
  pod_group: string;
  placement: string;
  nodes: string[];
  number: number;
  count: number;
}

/** All members were tried, each with the previous ones assumed on their nodes. Nothing has been bound yet. */
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

/** Several placements can hold the group. The one with the highest total is selected, or the first of equal ones. */
export interface PlacementsScored {
  type: "PlacementsScored";
  pod_group: string;
  placements: PlacementScore[];
  chosen: string;
}

/** WorkloadAwarePreemption searched for victims for the group as a whole. */
export interface PodGroupPreemptionEvaluated {
  type: "PodGroupPreemptionEvaluated";
  pod_group: string;
  status: "Success" | "Error" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Wait" | "Skip" | "Pending";
  message?: string;
  victims?: string[];
  simulations?: number;
  units?: VictimUnit[];
}

/** The group was decided. Scheduled: members with a node are now bound; otherwise all return to the queue. */
export interface PodGroupDecided {
  type: "PodGroupDecided";
  pod_group: string;
  outcome: "Scheduled" | "WaitingOnPreemption" | "Unschedulable" | "Error";
  message?: string;
  placement?: string | null;
}

/** The decision for one member follows: its binding, or its return to the queue. */
export interface PodGroupMemberDecided {
  type: "PodGroupMemberDecided";
  pod: string;
  pod_group: string;
  attempt: number;
  profile: string;
  pod_attempts: number;
  node?: string;
}

/** The cycle writes the condition PodGroupScheduled. */
export interface PodGroupConditionWritten {
  type: "PodGroupConditionWritten";
  pod_group: string;
  status: "True" | "False";
  reason: string;
  message?: string;
  kept?: boolean;
  absent?: boolean;
}

/** All consequences of the cycle have been delivered. AttemptFinished follows for each member. */
export interface PodGroupCycleFinished {
  type: "PodGroupCycleFinished";
  cycle: number;
  pod_group: string;
  outcome: "Scheduled" | "WaitingOnPreemption" | "Unschedulable" | "Error";
  waiting_on_permit?: string[];
}

/** DefaultPreemption's PostFilter ran, or was not reached (see `message`). */
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

/** The preemptor's victim was deleted. Its termination ends at `gone_at`. */
export interface VictimEvicted {
  type: "VictimEvicted";
  pod: string;
  node: string;
  preemptor: string;
  gone_at: number;
}

/** SchedulerAsyncPreemption: the victims are deleted concurrently with the next cycles, one call after another. */
export interface PreemptionStarted {
  type: "PreemptionStarted";
  pod: string;
  node: string;
  victims: string[];
}

/** All calls of the preemption have been sent, or a call failed with `error` and no more are sent. */
export interface PreemptionFinished {
  type: "PreemptionFinished";
  pod: string;
  error?: string;
}

/** The pod's status.nominatedNodeName was set: room on the node is reserved for it. */
export interface PodNominated {
  type: "PodNominated";
  pod: string;
  node: string;
}

/** The pod's nomination was cleared. */
export interface NominationCleared {
  type: "NominationCleared";
  pod: string;
  node: string;
  cause: "preempted-by-higher-priority" | "attempt-failed" | "bound" | "deleted";
}

/** The first event: the initial cluster. PodEnqueued, PodGated or PodIgnored follows for each pending pod. */
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
  claims?: ClaimState[];
  slices?: SliceState[];
  loaded?: PodColumns | null;
  loaded_nodes?: NodeColumns | null;
  controllers?: string[];
}

/** Virtual time advanced to `time`; `cause` is the kind of the first due action. */
export interface ClockAdvanced {
  type: "ClockAdvanced";
  time: number;
  cause: "event" | "termination" | "backoff" | "unschedulable-flush" | "permit-timeout" | "binding" | "preemption" | "controller" | "kubelet" | "end";
}

/** An object was created or updated, by the timeline or a controller (`by`). */
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
  claim?: ClaimState | null;
  slice?: SliceState | null;
  workload?: WorkloadState | null;
  called?: string;
  revision?: number;
  by?: string;
  because?: Because | null;
  node_claim?: NodeClaimState | null;
}

/** An object was deleted. A pod leaves its node or queue. */
export interface ObjectDeleted {
  type: "ObjectDeleted";
  kind: string;
  name: string;
  namespace?: string;
  order?: string[] | null;
  cause?: "timeline" | "preemption";
  by?: string;
  because?: Because | null;
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

/** A cluster event does not help these pods, according to the plugins that rejected them. */
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

/** The pod's schedulerName is not the name of any profile, so this scheduler ignores the pod. */
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

/** PreFilter ran. `rejected_by` is None if the cycle continues; `nodes` is the intersection of the node names. */
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
  error?: string;
}

/** Score ran on the feasible nodes `rows` (in the order found); `total` is the sum of the weighted scores. */
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

/** The cache counts the pod on the node before it is bound. */
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

/** Unreserve ran in reverse order, and the assumed pod was forgotten. */
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

/** Bind and PostBind ran; the binding cycle ended. `message` is that of the Scheduled event. */
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

/** The attempt failed. `message` is the full text of the PodScheduled condition and the FailedScheduling event. */
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

/** A plugin requested the move of the pod to activeQ (Activate). */
export interface PodActivated {
  type: "PodActivated";
  pod: string;
  by: string;
}

/** An attempt has ended; the queues are in the state that the next attempt finds. */
export interface AttemptFinished {
  type: "AttemptFinished";
  attempt: number;
  pod: string;
  outcome: "Scheduled" | "Nominated" | "Unschedulable" | "Error";
  node?: string;
  claims?: string[];
}

/** The run has ended: no action is due, or untilSeconds was reached. */
export interface RunFinished {
  type: "RunFinished";
  time: number;
  bound: Record<string, string>;
  deleted: string[];
  pending: string[];
  pod_groups?: Record<string, PodGroupState | null> | null;
  stayed?: number;
}

/** The state before a chunk, as events that follow RunStarted. `order` None: the order at the start of the run. */
export interface Keyframe {
  step: number;
  time: number;
  since?: (NodeGroupResized | ScaleUpEvaluated | ScaleDownEvaluated | WorkloadStatusWritten | PodDeletionRequested | PodStarted | PodReadinessChanged | PodRestarted | PodFinished | PodConditionSet | NodeConditionChanged | EvictionAnswered | EventRecorded | RequestMade | DevicesSearched | DecisionObserved | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished | PreemptionEvaluated | VictimEvicted | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | ScoresComputed | HostSelected | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished)[];
  cycle?: (NodeGroupResized | ScaleUpEvaluated | ScaleDownEvaluated | WorkloadStatusWritten | PodDeletionRequested | PodStarted | PodReadinessChanged | PodRestarted | PodFinished | PodConditionSet | NodeConditionChanged | EvictionAnswered | EventRecorded | RequestMade | DevicesSearched | DecisionObserved | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished | PreemptionEvaluated | VictimEvicted | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | ScoresComputed | HostSelected | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished)[];
  group?: (NodeGroupResized | ScaleUpEvaluated | ScaleDownEvaluated | WorkloadStatusWritten | PodDeletionRequested | PodStarted | PodReadinessChanged | PodRestarted | PodFinished | PodConditionSet | NodeConditionChanged | EvictionAnswered | EventRecorded | RequestMade | DevicesSearched | DecisionObserved | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished | PreemptionEvaluated | VictimEvicted | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | ScoresComputed | HostSelected | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished)[];
  order?: string[] | null;
}

/** A piece of a run: the state before its first event, and the events. It is read together with the first chunk. */
export interface TraceChunk {
  seq: number;
  first_step: number;
  keyframe: Keyframe;
  events: (NodeGroupResized | ScaleUpEvaluated | ScaleDownEvaluated | WorkloadStatusWritten | PodDeletionRequested | PodStarted | PodReadinessChanged | PodRestarted | PodFinished | PodConditionSet | NodeConditionChanged | EvictionAnswered | EventRecorded | RequestMade | DevicesSearched | DecisionObserved | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished | PreemptionEvaluated | VictimEvicted | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | ScoresComputed | HostSelected | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished)[];
  last: boolean;
}

/** The common part of chunks of all versions. */
export interface _Events {
  events: (NodeGroupResized | ScaleUpEvaluated | ScaleDownEvaluated | WorkloadStatusWritten | PodDeletionRequested | PodStarted | PodReadinessChanged | PodRestarted | PodFinished | PodConditionSet | NodeConditionChanged | EvictionAnswered | EventRecorded | RequestMade | DevicesSearched | DecisionObserved | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished | PreemptionEvaluated | VictimEvicted | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | ScoresComputed | HostSelected | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished)[];
}

/** A part of a pod's time, from `start` to `end` virtual seconds; `step` is the step at which it begins. */
export interface Part {
  cause: "quota" | "activeQ" | "backoffQ" | "unschedulable" | "node" | "victims" | "gated" | "ignored" | "permit" | "binding" | "starting" | "not ready";
  start: number;
  end: number;
  step: number;
  attempt: number;
  message: string;
  node: string;
  until: string;
  ahead: string[];
  ahead_count: number;
}

/** The time of a pod, from `begin` to `end` virtual seconds: the sum of its parts. */
export interface Duration {
  pod: string;
  begin: number;
  end: number;
  ended: "ready" | "bound" | "deleted" | "Succeeded" | "Failed" | "waiting";
  parts: Part[];
}

export type AnyEvent =
  | NodeGroupResized
  | ScaleUpEvaluated
  | ScaleDownEvaluated
  | WorkloadStatusWritten
  | PodDeletionRequested
  | PodStarted
  | PodReadinessChanged
  | PodRestarted
  | PodFinished
  | PodConditionSet
  | NodeConditionChanged
  | EvictionAnswered
  | EventRecorded
  | RequestMade
  | DevicesSearched
  | DecisionObserved
  | PodGroupCycleStarted
  | PlacementStarted
  | PodGroupEvaluated
  | PlacementsScored
  | PodGroupPreemptionEvaluated
  | PodGroupDecided
  | PodGroupMemberDecided
  | PodGroupConditionWritten
  | PodGroupCycleFinished
  | PreemptionEvaluated
  | VictimEvicted
  | PreemptionStarted
  | PreemptionFinished
  | PodNominated
  | NominationCleared
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
  | RunFinished;
