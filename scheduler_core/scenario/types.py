"""What a parsed scenario is made of; `scenario.parse_scenario` builds it and re-exports these names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from scheduler_core.apis.config import SchedulerConfiguration
from scheduler_core.apis.core import KubernetesObject, PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.releases import DEFAULT_RELEASE, Release

BindingPoint = Literal["Reserve", "Permit", "PreBind", "Bind"]
FaultPoint = Literal[BindingPoint, "Preempt"]  # Preempt: of a victim, its deletion


@dataclass(frozen=True, slots=True)
class ParseWarning:
    """Something that is ignored, such as an unknown field; the scenario is used all the same."""

    document: int  # from 1
    line: int  # from 1
    path: str  # spec.containers[0].imagePullPolicies
    message: Message


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """Something that happens to the cluster at a virtual time; `object` is None for a delete only.

    The object of a create or an update has its creation time set to `at`; an update goes through `merge_update`.
    """

    at: float
    action: Literal["create", "update", "delete"]
    kind: str
    namespace: str  # "" for kinds without namespace
    name: str
    object: KubernetesObject | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """The binding cycle of `pod` fails at `point` with `message`, `times` times."""

    pod: PodKey
    point: FaultPoint
    times: int = 1
    message: str = "injected fault"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which pods or nodes a rule is about: named ones, those that a selector matches, or (both absent) all.

    A name is "namespace/name" for a pod. Given both, either is enough.
    """

    names: frozenset[str] = frozenset()
    selector: LabelSelector | None = None

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        if not self.names and self.selector is None:
            return True
        return name in self.names or (self.selector is not None and self.selector.matches(labels))


EVERYTHING = Selection()


@dataclass(frozen=True, slots=True)
class ExtenderFilterRule:
    """Rejects `nodes` for `pods` with the message `reject`; `unresolvable`: preemption would not help there."""

    reject: str
    pods: Selection = EVERYTHING
    nodes: Selection = EVERYTHING
    unresolvable: bool = False


@dataclass(frozen=True, slots=True)
class ExtenderPrioritizeRule:
    """Gives `score` (0 to 10) to `nodes` for `pods`; the first rule that matches counts, no rule: 0."""

    score: int
    pods: Selection = EVERYTHING
    nodes: Selection = EVERYTHING


@dataclass(frozen=True, slots=True)
class ExtenderPreemptRule:
    """Strikes `nodes` from the preemption candidates of `pods`."""

    pods: Selection = EVERYTHING
    nodes: Selection = EVERYTHING


ExtenderVerb = Literal["filter", "prioritize", "preempt", "bind"]


@dataclass(frozen=True, slots=True)
class ExtenderFailure:
    """The call of `verb` for `pods` fails with `message`, `times` times (None: always)."""

    verb: ExtenderVerb
    message: str
    pods: Selection = EVERYTHING
    times: int | None = None


@dataclass(frozen=True, slots=True)
class ExtenderScript:
    """What the extender with this `url_prefix` answers. Without rules it passes every node and scores 0."""

    url_prefix: str
    filter: tuple[ExtenderFilterRule, ...] = ()
    prioritize: tuple[ExtenderPrioritizeRule, ...] = ()
    preempt: tuple[ExtenderPreemptRule, ...] = ()
    failures: tuple[ExtenderFailure, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectedPod:
    """`node` "" means pending; `reason`, if given, must occur in the pod's last message."""

    node: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The promised outcome, checked by `simulate --check`; `victims` None: not checked."""

    pods: Mapping[PodKey, ExpectedPod] = field(default_factory=dict)
    victims: tuple[PodKey, ...] | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A parsed scenario file. `objects` are in load order, `events` sorted by time; `text` is the source.

    `seed` None: ties go to the first of the best nodes; `until_seconds` None: run until nothing can happen any more.
    Load order: kinds as `manifests.kinds.LOAD_ORDER` lists them, pods last and running ones before pending ones.
    """

    text: str
    config: SchedulerConfiguration
    title: str = ""
    description: str = ""
    name: str = ""
    annotations: Mapping[str, str] = field(default_factory=dict)
    release: Release = DEFAULT_RELEASE
    seed: int | None = None
    until_seconds: float | None = None
    objects: tuple[KubernetesObject, ...] = ()
    events: tuple[TimelineEvent, ...] = ()
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    binding_seconds: float = 0.0
    faults: tuple[Fault, ...] = ()
    extender_scripts: tuple[ExtenderScript, ...] = ()
    expect: Expectation | None = None
    warnings: tuple[ParseWarning, ...] = ()

    def script_for(self, url_prefix: str) -> ExtenderScript:
        """The script of an extender of the configuration; one without rules if the document gives none."""
        found = (script for script in self.extender_scripts if script.url_prefix == url_prefix)
        return next(found, ExtenderScript(url_prefix))
