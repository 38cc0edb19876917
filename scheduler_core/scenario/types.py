"""The types of a parsed scenario, which `scenario.parse_scenario` builds; `scenario.parse` re-exports these names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from scheduler_core.apis.autoscaling import Actor, NodeGroup
from scheduler_core.apis.config import SchedulerConfiguration
from scheduler_core.apis.core import KubernetesObject, PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.apis.rules import Rule
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.releases import DEFAULT_RELEASE, Release
from scheduler_core.scenario.challenge import Challenge
from scheduler_core.scenario.lesson import NO_LESSON, Lesson

BindingPoint = Literal["Reserve", "Permit", "PreBind", "Bind"]
FaultPoint = Literal[BindingPoint, "Preempt"]  # Preempt: the deletion of a victim


class ParseWarning(msgspec.Struct, frozen=True):
    """A warning about a part of the file, such as an unknown field, which is ignored."""

    document: int  # from 1; 0: about the file as a whole
    line: int  # from 1; 0: unknown
    path: str  # such as spec.containers[0].imagePullPolicies
    message: Message


Verb = Literal[
    "create",
    "update",
    "delete",
    "deleteFirst",
    "patch",
    "scale",
    "rollout",
    "cordon",
    "uncordon",
    "drain",
    "evict",
    "taint",
    "untaint",
    "failNode",
    "recoverNode",
    "ready",
    "finish",
    "pressure",
    "load",
]


class TimelineEvent(msgspec.Struct, frozen=True):
    """A change of the cluster at the virtual time `at`, in seconds. `object` is set for "create" and "update" only.

    An object without a creationTimestamp has `at`, in whole seconds, as its creation time. An update goes through
    `merge_update`, unless the run replays a recording. `details` are the fields of the other verbs, and of some
    deletions, with names as in the document; `settings.timeline` adds some, such as "nodes" and "pod". `name` is "" if
    the details identify the objects.
    """

    at: float
    action: Verb
    kind: str
    namespace: str  # "" for kinds without a namespace, and for "deleteFirst"
    name: str
    object: KubernetesObject | None = None
    details: Mapping[str, Any] = {}


class KubeletTimes(msgspec.Struct, frozen=True):
    """The seconds that pods take to start, to become ready, and to stop.

    `stop_seconds` None: the grace period that a pod states, or 0 if it states none.
    """

    start_seconds: float = 0.0
    ready_seconds: float = 0.0
    stop_seconds: float | None = None


class NodeLifecycle(msgspec.Struct, frozen=True):
    """The flags of kube-controller-manager for nodes that stop reporting. Rates are nodes a second in each zone.

    `monitor_grace_seconds` None: the default of the release.
    """

    monitor_seconds: float = 5.0
    monitor_grace_seconds: float | None = None
    eviction_rate: float = 0.1
    secondary_eviction_rate: float = 0.01
    unhealthy_zone_threshold: float = 0.55
    large_cluster_size: int = 50


class Fault(msgspec.Struct, frozen=True):
    """An error with `message` at the extension point `point` for `pod`, `times` times.

    `point` "Preempt": the deletion of `pod` as a victim fails.
    """

    pod: PodKey
    point: FaultPoint
    times: int = 1
    message: str = "injected fault"


class Selection(msgspec.Struct, frozen=True):
    """The pods or nodes to which a rule applies: those that are named, or that the selector matches.

    The name of a pod is "namespace/name". Without names and selector, the rule applies to all of them.
    """

    names: frozenset[str] = frozenset()
    selector: LabelSelector | None = None

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        """Return whether the rule applies to the pod or node with this name and these labels."""
        if not self.names and self.selector is None:
            return True
        return name in self.names or (self.selector is not None and self.selector.matches(labels))


EVERYTHING = Selection()


class ExtenderFilterRule(msgspec.Struct, frozen=True):
    """Rejects `nodes` for `pods` with the message `reject`; `unresolvable`: preemption would not help there."""

    reject: str
    pods: Selection = EVERYTHING
    nodes: Selection = EVERYTHING
    unresolvable: bool = False


class ExtenderPrioritizeRule(msgspec.Struct, frozen=True):
    """Gives `score` (0 to 10) to `nodes` for `pods`.

    The first rule that matches applies; if none matches, the score is 0.
    """

    score: int
    pods: Selection = EVERYTHING
    nodes: Selection = EVERYTHING


class ExtenderPreemptRule(msgspec.Struct, frozen=True):
    """Removes `nodes` from the preemption candidates of `pods`."""

    pods: Selection = EVERYTHING
    nodes: Selection = EVERYTHING


class ObservedDecision(msgspec.Struct, frozen=True):
    """A decision of a cluster's own scheduler, as observed by a recording client.

    `at`: the virtual time at which the replay decides, in seconds. `seen`: the time at which the decision was observed;
    None: it was observed at `at`, and `ask/replay/placing.py` has yet to determine when it was made. `node` "": the pod
    was not bound, and `message` is that of its FailedScheduling event, if there was one. `victims` None: not observed.
    `note`: the reason why the state of the cluster at the decision is unknown, "" if it is known.
    """

    at: float
    pod: PodKey
    node: str = ""
    message: str = ""
    nominated_node: str = ""
    victims: tuple[PodKey, ...] | None = None
    scheduler: str = ""
    note: str = ""
    seen: float | None = None


class Unobserved(msgspec.Struct, frozen=True):
    """A gap in a recording, from `start` until `end` in virtual seconds; `what` describes it."""

    start: float
    end: float
    what: str


ExtenderVerb = Literal["filter", "prioritize", "preempt", "bind"]


class ExtenderFailure(msgspec.Struct, frozen=True):
    """The call of `verb` for `pods` fails with `message`, `times` times (None: always)."""

    verb: ExtenderVerb
    message: str
    pods: Selection = EVERYTHING
    times: int | None = None


class ExtenderScript(msgspec.Struct, frozen=True):
    """The answers of the extender with this `url_prefix`. Without rules it passes every node and scores 0."""

    url_prefix: str
    filter: tuple[ExtenderFilterRule, ...] = ()
    prioritize: tuple[ExtenderPrioritizeRule, ...] = ()
    preempt: tuple[ExtenderPreemptRule, ...] = ()
    failures: tuple[ExtenderFailure, ...] = ()


class ExpectedPod(msgspec.Struct, frozen=True):
    """The expected outcome of a pod.

    `node` "" means pending, or deleted if it is `gone`. `reason`, if set, must occur in the message of the pod's last
    SchedulingFailed event.
    """

    node: str = ""
    reason: str = ""
    gone: bool = False


class Expectation(msgspec.Struct, frozen=True):
    """The expected outcome of a run, which `unmet_expectations` checks. `victims` None: not checked.

    `least_available`: by Deployment (namespace/name), a number of available pods that must be reached, and from then on
    kept.
    """

    pods: Mapping[PodKey, ExpectedPod] = {}
    victims: tuple[PodKey, ...] | None = None
    least_available: Mapping[str, int] = {}


class Limit(NamedTuple):
    """A limit: the largest allowed number, and the name of the setting that changes it."""

    most: int
    setting: str


class RunLimits(msgspec.Struct, frozen=True):
    """Limits of a run; None: no limit."""

    steps: Limit | None = None  # events
    attempts: Limit | None = None  # scheduling attempts
    virtual_seconds: Limit | None = None
    pods: Limit | None = None  # at the same time, including those that controllers create


NO_LIMITS = RunLimits()


class Scenario(msgspec.Struct, frozen=True):
    """A parsed scenario file. `objects` are in load order, `events` sorted by time; `text` is the source.

    With `observed` the run is a replay: the decisions are carried out as observed, and each is also simulated. `seed`
    None: where the release breaks a tie at random, the first of the best nodes is selected. `until_seconds` None: run
    until no action is due. Load order: the order of `objects.kinds.LOAD_ORDER`, in which pods come last, bound ones
    before the others; then the nodes of `node_groups`.
    """

    text: str
    config: SchedulerConfiguration
    lesson: Lesson = NO_LESSON
    name: str = ""
    annotations: Mapping[str, str] = {}
    release: Release = DEFAULT_RELEASE
    seed: int | None = None
    until_seconds: float | None = None
    objects: tuple[KubernetesObject, ...] = ()
    events: tuple[TimelineEvent, ...] = ()
    feature_gates: Mapping[str, bool] = {}
    binding_seconds: float = 0.0
    faults: tuple[Fault, ...] = ()
    extender_scripts: tuple[ExtenderScript, ...] = ()
    expect: Expectation | None = None
    node_groups: tuple[NodeGroup, ...] = ()
    actors: tuple[Actor, ...] = ()  # Cluster Autoscaler, Karpenter, descheduler
    rules: tuple[Rule, ...] = ()
    observed: tuple[ObservedDecision, ...] = ()
    unobserved: tuple[Unobserved, ...] = ()
    challenge: Challenge | None = None
    controllers: tuple[str, ...] = ()  # the names of those that run
    kubelet: KubeletTimes = KubeletTimes()
    node_lifecycle: NodeLifecycle = NodeLifecycle()
    warnings: tuple[ParseWarning, ...] = ()

    limits: RunLimits = NO_LIMITS

    @property
    def title(self) -> str:
        """Return the English title, the Chinese one if there is no English one, or ""."""
        return self.lesson.title

    def __repr__(self) -> str:
        name = self.title or self.name or "Scenario"
        return f"<{name}: {len(self.objects)} objects, {len(self.events)} events, Kubernetes {self.release.version}>"

    def script_for(self, url_prefix: str) -> ExtenderScript:
        """Return the script of the extender with this urlPrefix; one without rules if the scenario has none for it."""
        scripts = (script for script in self.extender_scripts if script.url_prefix == url_prefix)
        return next(scripts, ExtenderScript(url_prefix))
