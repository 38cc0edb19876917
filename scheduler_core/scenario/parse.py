"""The parser: converts a scenario file to a `Scenario` by means of `reading/`, `fields/`, `objects/` and `settings/`.

    try:
        scenario = parse_scenario(text)
    except ScenarioError as error:          # ScenarioErrors: `error.errors` has all of them
        print(error)                        # document 3, line 41, spec.containers[0].image: Required value

The fields that are read are validated, and get their defaults, as by kube-apiserver and kube-scheduler of the file's
release. One error rejects the whole file. A part that is ignored, or that is probably a mistake, is a warning.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.config import SchedulerConfiguration
from scheduler_core.apis.core import KubernetesObject, Namespace
from scheduler_core.apis.messages import Message
from scheduler_core.apis.rules import Rule
from scheduler_core.releases import DEFAULT_RELEASE, Release, release_of_kubelets
from scheduler_core.scenario.catalogue import field_catalogue
from scheduler_core.scenario.challenge import Challenge
from scheduler_core.scenario.objects.admission import Admission, claimed
from scheduler_core.scenario.objects.cluster_objects import implied_namespace
from scheduler_core.scenario.objects.kinds import (
    CHALLENGE,
    CLUSTER_AUTOSCALER,
    CONFIG_MAP,
    CONFIGURATION,
    DESCHEDULER,
    KARPENTER,
    NODE_GROUP,
    OF_VERSION,
    POLICIES,
    POLICY_KEY,
    SCENARIO,
    SCHEDULER_PLUGIN,
    Identity,
)
from scheduler_core.scenario.objects.updates import merge_update
from scheduler_core.scenario.reading.documents import Document, read_documents, read_embedded
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.problems import Problems, ScenarioError, ScenarioErrors, TooManyProblems, not_found
from scheduler_core.scenario.settings.autoscaling import (
    PRIORITIES,
    build_actors,
    build_node_groups,
    check_nodes_of_groups,
    nodes_of_groups,
    valid_node_groups,
)
from scheduler_core.scenario.settings.challenge import build_challenge
from scheduler_core.scenario.settings.cluster_state import InitialObjects, identity, kind_of
from scheduler_core.scenario.settings.configuration import build_configuration, default_configuration
from scheduler_core.scenario.settings.controllers import running_controllers
from scheduler_core.scenario.settings.karpenter import NODE_POOL, build_karpenter
from scheduler_core.scenario.settings.policy import build_policy
from scheduler_core.scenario.settings.scenario_document import (
    ScenarioDocument,
    build_scenario_document,
)
from scheduler_core.scenario.settings.timeline import Timeline
from scheduler_core.scenario.types import (
    Expectation,
    ExpectedPod,
    ExtenderScript,
    Fault,
    ParseWarning,
    Scenario,
    TimelineEvent,
)

__all__ = [
    "Expectation",
    "ExpectedPod",
    "ExtenderScript",
    "Fault",
    "Limits",
    "ParseWarning",
    "Scenario",
    "ScenarioError",
    "ScenarioErrors",
    "TimelineEvent",
    "claimed",
    "default_configuration",
    "field_catalogue",
    "merge_update",
    "parse_scenario",
    "without_collection",
]


READING = 0.7  # the share of the progress for reading the text; the rest is for building the initial objects


def parse_scenario(
    text: str,
    limits: Limits | None = None,
    known_plugins: Mapping[str, Iterable[str]] | None = None,
    release: Release | None = None,
    report_progress: Callable[[float], None] = lambda part: None,
) -> Scenario:
    """Parse a file. Raises `ScenarioErrors` if any part is invalid.

    `known_plugins`: the outside plugins that a configuration can enable, each with the extension points that it
    implements, named as in `config.EXTENSION_POINTS`. `release` takes precedence over the one in the file.
    `report_progress` is called with the progress, from 0 to 1, after each document is read and before each initial
    object is built.
    """
    problems = Problems()
    try:
        with without_collection():
            scenario = _Reader(text, limits or Limits(), known_plugins or {}, problems, release, report_progress).read()
    except TooManyProblems:
        scenario = None
    if errors := problems.errors():
        raise ScenarioErrors(errors, problems.warnings())
    assert scenario is not None
    return scenario


@contextmanager
def without_collection() -> Iterator[None]:
    """Turn the garbage collector off within the block: during parsing, it would traverse the data many times."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _DocumentsByKind(msgspec.Struct):
    """The documents of a file by kind."""

    objects: dict[tuple[str, str], list[Document]] = {}  # by apiVersion and kind
    scenario: Document | None = None
    configuration: Document | None = None
    policy: Document | None = None
    node_groups: list[Document] = []
    cluster_autoscaler: Document | None = None
    priorities: Document | None = None  # the ConfigMap of the priority expander
    karpenter: Document | None = None
    descheduler: Document | None = None
    rules: list[Document] = []
    challenge: Document | None = None


class _Reader:
    """Reads a file and collects its problems; the result is valid only if there are none."""

    def __init__(
        self,
        text: str,
        limits: Limits,
        known_plugins: Mapping[str, Iterable[str]],
        problems: Problems,
        release: Release | None,
        report_progress: Callable[[float], None],
    ) -> None:
        self._text = text
        self._limits = limits
        self._known_plugins = known_plugins
        self._problems = problems
        self._release = release
        self._report_progress = report_progress

    def read(self) -> Scenario:
        """Return the scenario, which is valid only if no problems were reported. Raises TooManyProblems."""
        documents = read_documents(
            self._text, self._limits, self._problems, lambda part: self._report_progress(READING * part)
        )
        documents_by_kind = self._group_by_kind(documents)
        release_of_nodes = release_of_kubelets(_kubelet_versions(documents_by_kind))
        own = self._build_own_document(documents_by_kind.scenario, release_of_nodes or DEFAULT_RELEASE)
        self._check_limits(documents_by_kind, own)
        rules = self._build_rules(documents_by_kind.rules, own)
        challenge = self._build_challenge(documents_by_kind.challenge, documents, own)
        config = self._build_configuration(documents_by_kind.configuration, own, rules)
        if documents_by_kind.policy is not None:
            config = self._with_policy(documents_by_kind.policy, documents_by_kind, own, config)
        self._check_scripts(own, config, documents_by_kind)
        admission = Admission(
            own.release,
            own.feature_gates,
            recorded=bool(own.observed),
            stop_seconds=own.kubelet.stop_seconds,
        )
        initial = InitialObjects(
            self._problems, admission, lambda part: self._report_progress(READING + (1 - READING) * part)
        )
        objects = initial.build(documents_by_kind.objects, created_by(own.events))
        group_documents = valid_node_groups(documents_by_kind.node_groups, self._problems)
        node_groups = build_node_groups(group_documents, self._problems, admission)
        check_nodes_of_groups(group_documents, initial.exist, self._problems)
        number = _count("Node", documents_by_kind, own) + sum(group.size for group in node_groups)
        self._check_limit(Message("nodes"), number, self._limits.nodes)
        for node in nodes_of_groups(node_groups, self._problems, admission):
            objects.append(node)
            initial.exist["Node", "", node.name] = None
        actors = build_actors(
            documents_by_kind.cluster_autoscaler,
            documents_by_kind.priorities,
            documents_by_kind.descheduler,
            self._problems,
        )
        if documents_by_kind.karpenter is not None:
            pools = documents_by_kind.objects.get(NODE_POOL, ())
            actors = (*actors, build_karpenter(documents_by_kind.karpenter, pools, objects, self._problems))
        events: tuple[TimelineEvent, ...] = ()
        if documents_by_kind.scenario and own.events:
            timeline = Timeline(
                documents_by_kind.scenario, self._problems, admission, initial.exist, nodes_are_added=bool(actors)
            )
            events = timeline.build(own.events)
            objects = _with_namespaces(objects, timeline.namespaces)
        return Scenario(
            text=self._text,
            config=config,
            lesson=own.lesson,
            name=own.name,
            annotations=own.annotations,
            release=own.release,
            seed=own.seed,
            until_seconds=own.until_seconds,
            objects=tuple(objects),
            events=events,
            feature_gates=own.feature_gates,
            binding_seconds=own.binding_seconds,
            faults=own.faults,
            extender_scripts=own.extender_scripts,
            expect=own.expect,
            node_groups=node_groups,
            actors=actors,
            rules=rules,
            observed=own.observed,
            unobserved=own.unobserved,
            challenge=challenge,
            controllers=running_controllers(own, objects, events, live=bool(actors)),
            kubelet=own.kubelet,
            node_lifecycle=own.node_lifecycle,
            warnings=tuple(self._problems.warnings()),
            limits=self._limits.run,
        )

    def _group_by_kind(self, documents: list[Document]) -> _DocumentsByKind:
        documents_by_kind = _DocumentsByKind()
        if not documents and not self._problems.count:
            self._problems.add(
                ScenarioError("", 1, Message("the file has no documents; expected Kubernetes objects in YAML"))
            )
        for document in documents:
            self._problems.enter(document.chunk, document.prefix)
            kind = (document.data.get("apiVersion"), document.data.get("kind"))
            if kind == SCENARIO:
                documents_by_kind.scenario = self._only(documents_by_kind.scenario, document)
            elif kind == CONFIGURATION:
                documents_by_kind.configuration = self._only(documents_by_kind.configuration, document)
            elif kind in POLICIES:
                documents_by_kind.policy = self._only(documents_by_kind.policy, document)
            elif kind == CONFIG_MAP and _holds_policy(document):
                documents_by_kind.policy = self._policy_inside(document, documents_by_kind.policy)
            elif kind == CLUSTER_AUTOSCALER:
                documents_by_kind.cluster_autoscaler = self._only(documents_by_kind.cluster_autoscaler, document)
            elif kind == KARPENTER:
                documents_by_kind.karpenter = self._only(documents_by_kind.karpenter, document)
            elif kind == DESCHEDULER:
                documents_by_kind.descheduler = self._only(documents_by_kind.descheduler, document)
            elif kind == CONFIG_MAP and _name_of(document) == PRIORITIES:
                documents_by_kind.priorities = document
            elif kind == NODE_GROUP:
                documents_by_kind.node_groups.append(document)
            elif kind == SCHEDULER_PLUGIN:
                documents_by_kind.rules.append(document)
            elif kind == CHALLENGE:
                documents_by_kind.challenge = self._only(documents_by_kind.challenge, document)
            elif known := kind_of(document.data, (), self._problems):
                documents_by_kind.objects.setdefault(known.identity, []).append(document)
        return documents_by_kind

    def _only(self, first: Document | None, second: Document) -> Document:
        """Return `second`; if there already is a first document of its kind, report an error and return that one."""
        if first is None:
            return second
        kind = second.data["kind"]
        self._problems.error(
            ("kind",),
            Message(
                "a file has at most one {kind}; document {number} already is one", kind=kind, number=first.chunk.number
            ),
        )
        return first

    def _policy_inside(self, document: Document, first: Document | None) -> Document | None:
        """Return the Policy in a ConfigMap; `first` (None without one) if it is invalid, or if there already is one."""
        before = self._problems.count
        policies = read_embedded(document, ("data", POLICY_KEY), self._limits, self._problems)
        if self._problems.count > before:
            return first
        if [(entry.data.get("apiVersion"), entry.data.get("kind")) in POLICIES for entry in policies] != [True]:
            message = Message("expected one document with {fields}", fields="apiVersion: v1, kind: Policy")
            self._problems.error(("data", POLICY_KEY), message)
            return first
        self._problems.enter(policies[0].chunk)
        return self._only(first, policies[0])

    def _with_policy(
        self,
        document: Document,
        documents_by_kind: _DocumentsByKind,
        own: ScenarioDocument,
        config: SchedulerConfiguration,
    ) -> SchedulerConfiguration:
        """Return the configuration with the profile and the extenders of the Policy."""
        self._problems.enter(document.chunk, document.prefix)
        beside = documents_by_kind.configuration.data if documents_by_kind.configuration else {}
        fields = [f"KubeSchedulerConfiguration.{field}" for field in ("profiles", "extenders") if beside.get(field)]
        if fields := [*fields, *(["SchedulerPlugin"] if documents_by_kind.rules else [])]:
            message = Message("a scheduler has either a Policy or {fields}, not both", fields=", ".join(fields))
            self._problems.error(("kind",), message)
        policy = build_policy(document.data, self._problems, own.release)
        return replace(config, profiles=policy.profiles, extenders=policy.extenders)

    def _build_own_document(self, document: Document | None, default: Release) -> ScenarioDocument:
        if document is None:
            release = self._release or default
            return ScenarioDocument(release=release, feature_gates=release.default_gates())
        self._problems.enter(document.chunk, document.prefix)
        return build_scenario_document(document.data, self._problems, self._release, default)

    def _build_rules(self, documents: list[Document], own: ScenarioDocument) -> tuple[Rule, ...]:
        if not documents:
            return ()
        # Imported here: only scenarios with rules need the compiler.
        from scheduler_core.scenario.rules.reading import build_rules

        return build_rules(documents, self._problems, own.release, self._known_plugins)

    def _build_challenge(
        self, document: Document | None, documents: list[Document], own: ScenarioDocument
    ) -> Challenge | None:
        if document is None:
            return None
        alone = sum(other.chunk is document.chunk for other in documents) == 1
        challenge = build_challenge(document, self._problems, alone=alone)
        if own.expect is None:
            sentence = Message("a challenge needs spec.expect in the Scenario document: the required outcome")
            self._problems.error(("kind",), sentence)
        return challenge

    def _build_configuration(
        self, document: Document | None, own: ScenarioDocument, rules: tuple[Rule, ...]
    ) -> SchedulerConfiguration:
        if document is None:
            return default_configuration(own.release, own.feature_gates, rules)
        self._problems.enter(document.chunk, document.prefix)
        return build_configuration(
            document.data, self._problems, self._known_plugins, own.release, own.feature_gates, rules
        )

    def _check_limits(self, documents_by_kind: _DocumentsByKind, own: ScenarioDocument) -> None:
        limits = self._limits
        self._check_limit(Message("nodes"), _count("Node", documents_by_kind, own), limits.nodes)
        self._check_limit(Message("pods"), _count("Pod", documents_by_kind, own), limits.pods)
        self._check_limit(Message("events"), len(own.events), limits.events)

    def _check_limit(self, items: Message, number: int, limit: int) -> None:
        if number > limit:
            message = Message(
                "the scenario has {number:,} {what}; the limit is {limit:,}", number=number, what=items, limit=limit
            )
            self._problems.add(ScenarioError("", 0, message))
            raise TooManyProblems

    def _warn_of_unscripted(self, own: ScenarioDocument, document: Document) -> None:
        """Warn about each configured extender without a script: no server is called, so it rejects no node."""
        scripted = {script.url_prefix for script in own.extender_scripts}
        self._problems.enter(document.chunk, document.prefix)
        for index, extender in enumerate(document.data.get("extenders") or ()):
            if (extender.get("urlPrefix") or "") not in scripted:
                message = Message(
                    "is never called, and has no script in spec.extenders of the Scenario document: it rejects no node"
                )
                self._problems.warn(("extenders", index, "urlPrefix"), message)

    def _check_scripts(
        self, own: ScenarioDocument, config: SchedulerConfiguration, documents_by_kind: _DocumentsByKind
    ) -> None:
        """Report scripts without an extender, and warn about extenders without a script."""
        if not config.profiles:
            return  # the document has errors
        document = documents_by_kind.scenario
        if (configured := documents_by_kind.policy or documents_by_kind.configuration) and config.extenders:
            self._warn_of_unscripted(own, configured)
        prefixes = {extender.url_prefix for extender in config.extenders}
        for index, script in enumerate(own.extender_scripts):
            if document and script.url_prefix and script.url_prefix not in prefixes:
                self._problems.enter(document.chunk, document.prefix)
                reason = Message("no extender of KubeSchedulerConfiguration has this urlPrefix")
                path = ("spec", "extenders", index, "urlPrefix")
                self._problems.error(
                    path, Message("{problem}: {reason}", problem=not_found(script.url_prefix), reason=reason)
                )


def _kubelet_versions(documents_by_kind: _DocumentsByKind) -> Iterator[str]:
    """Yield the kubelet versions in the status of the initial nodes; values that are not strings are left out."""
    for document in documents_by_kind.objects.get(("v1", "Node"), ()):
        status = document.data.get("status")
        info = status.get("nodeInfo") if isinstance(status, dict) else None
        version = info.get("kubeletVersion") if isinstance(info, dict) else None
        if isinstance(version, str):
            yield version


def _holds_policy(config_map: Document) -> bool:
    data = config_map.data.get("data")
    return isinstance(data, dict) and isinstance(data.get(POLICY_KEY), str)


def _name_of(document: Document) -> Any:
    metadata = document.data.get("metadata")
    return metadata.get("name") if isinstance(metadata, dict) else None


def _count(kind: str, documents_by_kind: _DocumentsByKind, own: ScenarioDocument) -> int:
    """Return the number of initial and created objects of a kind of API version v1."""
    created = (event["create"].get("kind") for event in own.events if isinstance(event.get("create"), dict))
    return len(documents_by_kind.objects.get(("v1", kind), ())) + list(created).count(kind)


def created_by(events: Iterable[Mapping[str, Any]]) -> set[Identity]:
    """Return the identities of the objects that events create, without those that are not of a supported kind."""
    created = [event["create"] for event in events if isinstance(event.get("create"), dict)]
    kinds = [(OF_VERSION.get((str(entry.get("apiVersion")), str(entry.get("kind")))), entry) for entry in created]
    return {identity(kind, entry) for kind, entry in kinds if kind is not None}


def _with_namespaces(objects: list[KubernetesObject], mentioned: Iterable[str]) -> list[KubernetesObject]:
    """Return the objects with the namespaces that only events mention.

    `objects` begin with the namespaces. `mentioned`: names of namespaces, possibly repeated.
    """
    namespaces = [item for item in objects if isinstance(item, Namespace)]
    names = {namespace.name for namespace in namespaces}
    new: list[KubernetesObject] = [implied_namespace(name) for name in dict.fromkeys(mentioned) if name not in names]
    return [*objects[: len(namespaces)], *new, *objects[len(namespaces) :]]
