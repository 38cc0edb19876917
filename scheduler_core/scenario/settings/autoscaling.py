"""The documents of autoscaling: NodeGroup, ClusterAutoscaler and Descheduler.

Without a ClusterAutoscaler, a group has its initial nodes and describes the nodes that questions (`ask`) may add.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, cast

import yaml

from scheduler_core.apis.autoscaling import (
    Actor,
    CloudFailure,
    CloudFault,
    ClusterAutoscalerSettings,
    DeschedulerSettings,
    NodeGroup,
    Pricing,
)
from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import KubernetesObject
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.autoscaling_fields import (
    CLUSTER_AUTOSCALER,
    DESCHEDULER,
    FLAGS,
    GROUP_OPTIONS,
    NODE_GROUP,
    NODE_GROUPS,
    NOT_SIMULATED,
    WITHOUT_EFFECT,
)
from scheduler_core.scenario.fields.descheduler_fields import ARGUMENTS
from scheduler_core.scenario.fields.schema import DURATION, check
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.objects.label_selectors import label_selector
from scheduler_core.scenario.reading.documents import Document
from scheduler_core.scenario.reading.problems import Path, Problems, did_you_mean, duplicate, invalid, required, show
from scheduler_core.scenario.reading.times import parse_duration
from scheduler_core.scenario.settings.cluster_state import build

Manifest = Mapping[str, Any]
EXPANDERS = ("random", "most-pods", "least-waste", "least-nodes", "price", "priority")
MIN_INTERVAL_SECONDS = 1.0
PRIORITIES = "cluster-autoscaler-priority-expander"  # the name of the ConfigMap
STATUS = "cluster-autoscaler-status"  # the name of the ConfigMap that Cluster Autoscaler writes


def valid_node_groups(documents: Sequence[Document], problems: Problems) -> list[Document]:
    """Return the NodeGroup documents whose fields have the right types; the errors of the others are reported."""
    valid = []
    for document in documents:
        problems.enter(document.chunk, document.prefix)
        if check(NODE_GROUP, document.data, (), problems, strict=True):
            valid.append(document)
    return valid


def build_node_groups(documents: Sequence[Document], problems: Problems, admission: Admission) -> tuple[NodeGroup, ...]:
    """Return the groups of valid documents in the order of the file; a repeated name is an error."""
    groups: dict[str, NodeGroup] = {}
    for document in documents:
        problems.enter(document.chunk, document.prefix)
        group = _group(document.data, problems, admission)
        if group.name in groups:
            problems.error(("metadata", "name"), duplicate(group.name))
        groups[group.name] = group
    return tuple(groups.values())


def check_nodes_of_groups(
    documents: Sequence[Document], exist: Collection[tuple[str, str, str]], problems: Problems
) -> None:
    """Report names in `spec.nodes` of groups without such a Node among the initial objects, the keys of `exist`."""
    for document in documents:
        problems.enter(document.chunk, document.prefix)
        for index, name in enumerate((document.data.get("spec") or {}).get("nodes") or ()):
            if ("Node", "", name) not in exist:
                problems.error(("spec", "nodes", index), Message("no Node {name} exists", name=show(name)))


def nodes_of_groups(groups: Sequence[NodeGroup], problems: Problems, admission: Admission) -> list[KubernetesObject]:
    """Return the initial nodes of each group, <group>-1 to <group>-<size>, without invalid ones."""
    made = (
        node_of_group(group, number, problems, admission) for group in groups for number in range(1, group.size + 1)
    )
    return [node for node in made if node is not None]


def node_of_group(
    group: NodeGroup, number: int, problems: Problems, admission: Admission, taints: Sequence[Manifest] = ()
) -> KubernetesObject | None:
    """Return the node <group>-<number> from the group's template, with more taints; None if it is invalid."""
    template = group.template or {}
    metadata, spec, name = template.get("metadata") or {}, template.get("spec") or {}, f"{group.name}-{number}"
    labels = {**(metadata.get("labels") or {}), "kubernetes.io/hostname": name}
    return build(
        KINDS["Node"],
        {
            **template,
            "metadata": {**metadata, "name": name, "labels": labels},
            "spec": {**spec, "taints": [*(spec.get("taints") or ()), *taints]},
        },
        problems,
        admission,
    )


def build_actors(
    autoscaler: Document | None, priorities: Document | None, descheduler: Document | None, problems: Problems
) -> tuple[Actor, ...]:
    """Return the settings of Cluster Autoscaler and the descheduler, without those that are absent or invalid."""
    actors: list[Actor] = []
    if autoscaler is not None:
        problems.enter(autoscaler.chunk, autoscaler.prefix)
        if check(CLUSTER_AUTOSCALER, autoscaler.data, (), problems, strict=True):
            actors.append(_cluster_autoscaler(autoscaler.data, priorities, problems))
    if descheduler is not None:
        problems.enter(descheduler.chunk, descheduler.prefix)
        if check(DESCHEDULER, descheduler.data, (), problems, strict=True):
            actors.append(_descheduler(descheduler.data, problems))
    return tuple(actors)


def _cluster_autoscaler(data: Manifest, priorities: Document | None, problems: Problems) -> ClusterAutoscalerSettings:
    spec = data.get("spec") or {}
    pricing = spec.get("pricing")
    return ClusterAutoscalerSettings(
        flags=read_flags(spec.get("flags") or (), problems),
        start_seconds=seconds_of(spec, "startSeconds", 0.0, problems),
        boot_seconds=seconds_of(spec, "bootSeconds", 3.0, problems),
        ready_seconds=seconds_of(spec, "readySeconds", 2.0, problems),
        delete_seconds=seconds_of(spec, "deleteSeconds", 1.0, problems),
        pricing=pricing and Pricing(*(float(pricing.get(name) or 0) for name in ("Cpu", "Memory", "Gpu"))),
        priorities=None if priorities is None else _priorities(priorities, problems),
    )


def _descheduler(data: Manifest, problems: Problems) -> DeschedulerSettings:
    spec = data.get("spec") or {}
    interval = 0.0
    for index, (name, value) in enumerate(map(split_flag, spec.get("flags") or ())):
        if name == "descheduling-interval" and value != "0":
            interval = _interval(value, ("spec", "flags", index), problems)
    policy = spec.get("policy") or {}
    version = policy.get("apiVersion")
    if version != "descheduler/v1alpha2":
        message = Message("{version} is not read; expected descheduler/v1alpha2", version=show(version))
        problems.error(("spec", "policy", "apiVersion"), message)
    for number, profile in enumerate(policy.get("profiles") or ()):
        for point in ("deschedule", "balance"):
            for index, plugin in enumerate(((profile.get("plugins") or {}).get(point) or {}).get("enabled") or ()):
                if not plugin:
                    at = ("spec", "policy", "profiles", number, "plugins", point, "enabled", index)
                    problems.error(at, required(Message("the name of a plugin")))
        for index, entry in enumerate(profile.get("pluginConfig") or ()):
            path: Path = ("spec", "policy", "profiles", number, "pluginConfig", index)
            if not entry.get("name"):
                problems.error((*path, "name"), required(Message("the name of a plugin")))
            elif check(ARGUMENTS[entry["name"]], entry.get("args"), (*path, "args"), problems, strict=True):
                _check_selector(entry.get("args") or {}, (*path, "args"), problems)
    return DeschedulerSettings(policy, seconds_of(spec, "startSeconds", 0.0, problems), interval)


def _check_selector(args: Manifest, path: Path, problems: Problems) -> None:
    """Report errors in the labelSelector of a plugin's arguments, by the API server's rules."""
    if args.get("labelSelector") is not None:
        label_selector(args["labelSelector"], (*path, "labelSelector"), problems)


def read_flags(flags: Sequence[str], problems: Problems) -> dict[str, Any]:
    """Return the value of each flag in FLAGS: that of the command line, or else its default."""
    values: dict[str, Any] = {name: default for name, (_, default) in FLAGS.items()}
    lists: dict[str, list[str]] = {}
    for index, (name, value) in enumerate(map(split_flag, flags)):
        path: Path = ("spec", "flags", index)
        if name in FLAGS:
            kind = FLAGS[name][0]
            if name == "scan-interval":
                values[name] = _interval(value, path, problems)
            elif kind == "list":
                lists.setdefault(name, []).extend(value.split(","))
            else:
                values[name] = flag_value(kind, value, path, problems)
        elif name in WITHOUT_EFFECT:
            problems.warn(path, Message("--{name} has no effect here", name=name))
        elif name in NOT_SIMULATED:
            _check_not_simulated(name, value, path, problems)
        elif name in NODE_GROUPS:
            problems.warn(path, Message("--{name} has no effect here; each node group is a NodeGroup", name=name))
        else:
            hint = did_you_mean(name, [*FLAGS, *WITHOUT_EFFECT, *NODE_GROUPS, *NOT_SIMULATED])
            problems.error(path, Message("Cluster Autoscaler has no flag --{name}{hint}", name=name, hint=hint))
    values.update(lists)
    for name in values["expander"]:
        if name not in EXPANDERS:
            hint = did_you_mean(name, EXPANDERS)
            problems.error(("spec", "flags"), Message("no expander {name} is known{hint}", name=show(name), hint=hint))
    return values


def _check_not_simulated(name: str, value: str, path: Path, problems: Problems) -> None:
    """Report a flag whose effect is not simulated, unless it has the value that is."""
    simulated, effect = NOT_SIMULATED[name]
    if value != simulated:
        problems.error(path, Message("--{name}={value} is not simulated: {what}", name=name, value=value, what=effect))


def _interval(value: str, path: Path, problems: Problems) -> float:
    """Return the seconds between two loops of an actor; below MIN_INTERVAL_SECONDS is an error."""
    seconds = float(flag_value("duration", value, path, problems))
    if seconds < MIN_INTERVAL_SECONDS:
        problems.error(path, Message("{value} is out of range; expected at least 1s", value=show(value)))
    return seconds


def split_flag(flag: str) -> tuple[str, str]:
    """Return the name and value of a flag; "true" if it has no value."""
    name, equals, value = flag.lstrip("-").partition("=")
    return name, value if equals else "true"


def flag_value(kind: str, value: str, path: Path, problems: Problems) -> Any:
    """Return a flag's value. For a value that cannot be read, report an error and return 1, or [0, 0] for a range."""
    read: dict[str, Callable[[str], Any]] = {
        "duration": lambda text: parse_duration(text) if DURATION.check(text) is None else _refuse(),
        "int": int,
        "float": float,
        "bool": lambda text: {"true": True, "false": False}[text],
        "string": str,
        "range": lambda text: list(map(int, re.fullmatch(r"(\d+):(\d+)", text).groups())),  # type: ignore[union-attr]
    }
    try:
        return read[kind](value)
    except (ValueError, KeyError, AttributeError):
        example = {"duration": "10s", "int": "3", "float": "0.5", "bool": "true", "range": "0:100"}[kind]
        message = Message(
            "{value} cannot be read; expected a value such as {example}", value=show(value), example=example
        )
        problems.error(path, message)
        return [0, 0] if kind == "range" else 1


def _refuse() -> float:
    raise ValueError


def _priorities(document: Document, problems: Problems) -> dict[int, tuple[str, ...]]:
    """Return the regular expressions of each priority in the expander's ConfigMap; {} if they are absent or invalid."""
    from scheduler_core.cel.libraries.regex import compile_pattern  # imported when a file has such expressions

    problems.enter(document.chunk, document.prefix)
    data = document.data.get("data") or {}
    try:
        text = dict(data).get("priorities")
        read = yaml.safe_load(text) if isinstance(text, str) else None
        priorities = {int(priority): tuple(names) for priority, names in dict(read or {}).items()}
        for name in (name for names in priorities.values() for name in names):
            compile_pattern(name)
    except (yaml.YAMLError, TypeError, ValueError, OverflowError, RecursionError):
        message = Message("expected a mapping from priorities to lists of regular expressions")
        problems.error(("data", "priorities"), message)
        return {}
    return priorities


def _group(data: Manifest, problems: Problems, admission: Admission) -> NodeGroup:
    name = (data.get("metadata") or {}).get("name") or ""
    spec = data.get("spec") or {}
    if not name:
        problems.error(("metadata", "name"), required(Message("the name of the node group")))
    minimum, maximum, price = spec.get("minimum") or 0, spec.get("maximum"), spec.get("price")
    at_least(minimum, 0, ("spec", "minimum"), problems)
    at_least(maximum, minimum, ("spec", "maximum"), problems)
    at_least(price, 0, ("spec", "price"), problems)
    size = spec.get("size") or 0
    at_least(size, 0, ("spec", "size"), problems)
    template, fail = spec.get("template"), spec.get("fail")
    if size and template is None:
        problems.error(("spec", "template"), required(Message("nodes that exist at the start need one")))
    return NodeGroup(
        name,
        minimum,
        maximum,
        None if price is None else float(price),
        None if template is None else _template(name or "x", template, problems, admission),
        size,
        tuple(
            Taint(taint.get("key") or "", taint.get("value") or "", taint.get("effect") or "NoSchedule")
            for taint in spec.get("startupTaints") or ()
        ),
        fail and CloudFault(cast(CloudFailure, fail.get("mode")), fail.get("message") or "", fail.get("until")),
        _group_options(spec.get("options") or {}, problems),
        None if spec.get("bootSeconds") is None else seconds_of(spec, "bootSeconds", 0.0, problems),
        None if spec.get("readySeconds") is None else seconds_of(spec, "readySeconds", 0.0, problems),
        tuple(spec.get("nodes") or ()),
    )


def _group_options(options: Manifest, problems: Problems) -> dict[str, Any]:
    """Return the values of the flags that a group overrides, by flag; a duration without a unit is in seconds."""
    parsed = {}
    for name in (name for name in options if name in GROUP_OPTIONS):
        flag, path, value = GROUP_OPTIONS[name], ("spec", "options", name), options[name]
        text = str(value).lower() if isinstance(value, bool) else str(value)
        is_number = FLAGS[flag][0] == "duration" and isinstance(value, int | float)
        parsed[flag] = flag_value(FLAGS[flag][0], f"{text}s" if is_number else text, path, problems)
    return parsed


def seconds_of(spec: Manifest, field: str, default: float, problems: Problems) -> float:
    """Return a field of a spec in seconds, or the default if it is absent; it must be 0 or more."""
    value = spec.get(field)
    at_least(value, 0, ("spec", field), problems)
    return default if value is None else float(value)


def _template(
    name: str, template: Mapping[str, Any], problems: Problems, admission: Admission
) -> Mapping[str, Any] | None:
    """Return the manifest of a node called `name` with the template; None if it is not valid, which is reported."""
    node = {"apiVersion": "v1", "kind": "Node", **template}
    node["metadata"] = {**(template.get("metadata") or {}), "name": name}
    before, scratch = problems.count, Problems()
    if build(KINDS["Node"], node, scratch, admission) is None:
        for error in scratch.errors():
            problems.error(("spec", "template"), Message("{path}: {message}", path=error.path, message=error.message))
    return node if problems.count == before else None


def at_least(number: float | None, least: float, path: Path, problems: Problems) -> None:
    """Report a number that is below `least`, infinite or NaN; None is accepted."""
    if number is not None and not (least <= number < math.inf):
        problems.error(path, invalid(number, Message("must be greater than or equal to {least}", least=least)))
