"""The document of Karpenter, and checks of its NodePools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.apis.autoscaling import KarpenterSettings
from scheduler_core.apis.core import KubernetesObject
from scheduler_core.apis.karpenter import InstanceType, KWOKNodeClass, NodePool
from scheduler_core.apis.messages import Message
from scheduler_core.apis.requirements import WELL_KNOWN, conflict, disjoint
from scheduler_core.scenario.fields import karpenter_fields
from scheduler_core.scenario.fields.karpenter_fields import (
    KARPENTER,
    KARPENTER_FLAGS,
    KARPENTER_GATES,
    KARPENTER_WITHOUT_EFFECT,
)
from scheduler_core.scenario.fields.schema import check
from scheduler_core.scenario.objects.karpenter import requirements_of_pool
from scheduler_core.scenario.reading.documents import Document
from scheduler_core.scenario.reading.problems import Path, Problems, did_you_mean, not_supported, show
from scheduler_core.scenario.settings.autoscaling import at_least, flag_value, seconds_of, split_flag
from scheduler_core.scenario.settings.instance_types import build_instance_types

Manifest = Mapping[str, Any]
NODE_POOL = ("karpenter.sh/v1", "NodePool")
CHOICES = {"preference-policy": ("Respect", "Ignore"), "min-values-policy": ("Strict", "BestEffort")}
KWOK_CLASS = "KWOKNodeClass"


def build_karpenter(
    document: Document, pools: Sequence[Document], objects: Iterable[KubernetesObject], problems: Problems
) -> KarpenterSettings:
    """Return Karpenter's settings, and check the NodePools: each needs its class and a suitable instance type.

    A document with a field of an invalid type gives settings without flags and instance types.
    """
    problems.enter(document.chunk, document.prefix)
    spec = document.data.get("spec") or {}
    if not check(KARPENTER, document.data, (), problems, strict=True):
        return KarpenterSettings({}, ())
    types = build_instance_types(spec.get("instanceTypes"), ("spec", "instanceTypes"), problems)
    karpenter = KarpenterSettings(
        flags=_flags(spec.get("flags") or (), problems),
        instance_types=types,
        start_seconds=seconds_of(spec, "startSeconds", 0.0, problems),
        ready_seconds=seconds_of(spec, "readySeconds", 2.0, problems),
    )
    built = list(objects)
    classes = {item.name for item in built if isinstance(item, KWOKNodeClass)}
    by_name = {item.name: item for item in built if isinstance(item, NodePool)}
    for pool_document in pools:
        problems.enter(pool_document.chunk, pool_document.prefix)
        if check(karpenter_fields.NODE_POOL, pool_document.data, (), problems, strict=True):
            pool = by_name.get((pool_document.data.get("metadata") or {}).get("name") or "")
            if pool is not None:
                _check_pool(pool, types, classes, problems)
    return karpenter


def _check_pool(pool: NodePool, types: Sequence[InstanceType], classes: set[str], problems: Problems) -> None:
    _, kind, name = pool.node_class
    if kind == KWOK_CLASS and name not in classes:
        path: Path = ("spec", "template", "spec", "nodeClassRef", "name")
        problems.error(path, Message("no {kind} {name} exists", kind=kind, name=show(name)))
    wanted = requirements_of_pool(pool)
    for entry in types:
        offered = any(not conflict(wanted, offering.requirements, WELL_KNOWN) for offering in entry.offerings)
        if offered and not disjoint(entry.requirements, wanted):
            return
    if types:
        path = ("spec", "template", "spec", "requirements")
        problems.error(path, Message("no instance type meets the requirements of this pool"))


def _flags(flags: Sequence[str], problems: Problems) -> dict[str, Any]:
    """Return the value of each flag in KARPENTER_FLAGS: that of the command line, or else its default."""
    values: dict[str, Any] = {name: default for name, (_, default) in KARPENTER_FLAGS.items()}
    values["feature-gates"] = dict.fromkeys(KARPENTER_GATES, False)
    for index, (name, text) in enumerate(map(split_flag, flags)):
        path: Path = ("spec", "flags", index)
        if name == "feature-gates":
            values[name] |= _gates(text, path, problems)
        elif name in CHOICES:
            values[name] = text
            if text not in CHOICES[name]:
                problems.error(path, not_supported(text, CHOICES[name]))
        elif name in KARPENTER_FLAGS:
            values[name] = flag_value(KARPENTER_FLAGS[name][0], text, path, problems)
            at_least(values[name], 0, path, problems)
        elif name in KARPENTER_WITHOUT_EFFECT:
            problems.warn(path, Message("--{name} has no effect here", name=name))
        else:
            hint = did_you_mean(name, [*KARPENTER_FLAGS, *KARPENTER_WITHOUT_EFFECT])
            problems.error(path, Message("Karpenter has no flag --{name}{hint}", name=name, hint=hint))
    return values


def _gates(text: str, path: Path, problems: Problems) -> dict[str, bool]:
    """Return the feature gates of a flag, as in "SpotToSpotConsolidation=true", without invalid ones."""
    gates = {}
    for entry in text.split(","):
        name, _, value = entry.partition("=")
        if name not in KARPENTER_GATES or value not in ("true", "false"):
            hint = did_you_mean(name, KARPENTER_GATES)
            problems.error(path, Message("Karpenter has no feature gate {gate}{hint}", gate=show(entry), hint=hint))
        elif value == "true" and not KARPENTER_GATES[name]:
            problems.error(path, Message("feature gate {name} is not simulated", name=name))
        else:
            gates[name] = value == "true"
    return gates
