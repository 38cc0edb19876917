"""Builds a pod's node affinity, pod affinity, tolerations and topology spread constraints.

Sources: core/validation `validateAffinity`, `ValidateTolerations`, `validateTopologySpreadConstraints`; the pod
strategy's merging of matchLabelKeys (`applyMatchLabelKeysAndMismatchLabelKeys`); the scheduler's
`getNamespacesFromPodAffinityTerm`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, cast

from scheduler_core.apis.constraints import (
    PodAffinityTerm,
    PreferredNodeTerm,
    Toleration,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
)
from scheduler_core.apis.messages import Message
from scheduler_core.apis.selectors import LabelSelector, NodeSelector, SelectorRequirement
from scheduler_core.scenario.fields.names import check_name, dns_label, label_value, qualified_name
from scheduler_core.scenario.objects.label_selectors import label_selector, node_selector, node_selector_term
from scheduler_core.scenario.reading.problems import (
    Path,
    Problems,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)

Manifest = Mapping[str, Any]
Labels = Mapping[str, str]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def node_affinity(
    data: Manifest, path: Path, problems: Problems
) -> tuple[NodeSelector | None, tuple[PreferredNodeTerm, ...]]:
    """Build (required, preferred) of `affinity.nodeAffinity`; required is None if the affinity has none."""
    needed = None
    if (selector := data.get(_REQUIRED)) is not None:
        needed = node_selector(selector, (*path, _REQUIRED), problems)
    preferred = []
    for index, term in enumerate(data.get(_PREFERRED) or ()):
        at = (*path, _PREFERRED, index)
        weight = _weight(term, at, problems)
        preference = node_selector_term(term.get("preference") or {}, (*at, "preference"), problems, any_value=True)
        preferred.append(PreferredNodeTerm(weight, preference))
    return needed, tuple(preferred)


def pod_affinity(
    data: Manifest, path: Path, problems: Problems, namespace: str, labels: Labels
) -> tuple[tuple[PodAffinityTerm, ...], tuple[WeightedPodAffinityTerm, ...]]:
    """Build the (required, preferred) terms of podAffinity or podAntiAffinity of a pod in `namespace` with `labels`."""
    needed = tuple(
        _affinity_term(term, (*path, _REQUIRED, index), problems, namespace, labels)
        for index, term in enumerate(data.get(_REQUIRED) or ())
    )
    preferred = []
    for index, weighted in enumerate(data.get(_PREFERRED) or ()):
        at = (*path, _PREFERRED, index)
        weight = _weight(weighted, at, problems)
        term = weighted.get("podAffinityTerm") or {}
        preferred.append(
            WeightedPodAffinityTerm(weight, _affinity_term(term, (*at, "podAffinityTerm"), problems, namespace, labels))
        )
    return needed, tuple(preferred)


def _weight(data: Manifest, path: Path, problems: Problems) -> int:
    weight = data.get("weight") or 0
    if not 1 <= weight <= 100:
        problems.error((*path, "weight"), invalid(weight, Message("must be in the range 1-100")))
    return int(weight)


def _affinity_term(data: Manifest, path: Path, problems: Problems, namespace: str, labels: Labels) -> PodAffinityTerm:
    key = data.get("topologyKey") or ""
    check_name(key, (*path, "topologyKey"), problems, Message("can not be empty"), qualified_name)
    selector = label_selector(data.get("labelSelector"), (*path, "labelSelector"), problems)
    _check_label_keys(data, path, problems, labels)
    namespace_selector = None
    if (other := data.get("namespaceSelector")) is not None:
        namespace_selector = label_selector(other, (*path, "namespaceSelector"), problems)
    namespaces = data.get("namespaces") or ()
    for name in namespaces:
        if reason := dns_label(name):
            problems.error(
                (*path, "namespaces"), invalid(name, Message("a lowercase RFC 1123 label {reason}", reason=reason))
            )
    if not namespaces and namespace_selector is None:
        namespaces = (namespace,)
    merged = _merge_label_keys(data, selector, labels)
    return PodAffinityTerm(key, merged, frozenset(namespaces), namespace_selector)


def _merge_label_keys(data: Manifest, selector: LabelSelector, labels: Labels) -> LabelSelector:
    """Return the selector with the values of the pod's labels: In for matchLabelKeys, NotIn for mismatchLabelKeys.

    Keys of labels that the pod does not have are left out, and so are requirements that the selector already has.
    """
    extra = [
        SelectorRequirement(key, "In", (labels[key],)) for key in data.get("matchLabelKeys") or () if key in labels
    ]
    extra += [
        SelectorRequirement(key, "NotIn", (labels[key],))
        for key in data.get("mismatchLabelKeys") or ()
        if key in labels
    ]
    return selector.and_also(*(entry for entry in extra if entry not in selector.requirements))


def _check_label_keys(data: Manifest, path: Path, problems: Problems, labels: Labels) -> None:
    """Check the keys (`ValidateMatchLabelKeysAndMismatchLabelKeys`).

    The API server may already have merged them into the selector, if the pod comes from a cluster.
    """
    selector = data.get("labelSelector")
    match, mismatch = data.get("matchLabelKeys") or (), data.get("mismatchLabelKeys") or ()
    selected = _selected_keys(selector, labels)
    for field, keys in (("matchLabelKeys", match), ("mismatchLabelKeys", mismatch)):
        if keys and selector is None:
            problems.error((*path, field), forbidden(Message("must not be specified when labelSelector is not set")))
        for index, key in enumerate(keys):
            if reason := qualified_name(key):
                problems.error((*path, field, index), invalid(key, reason))
    for index, key in enumerate(match):
        if selected[key] + (key in labels) > 1:  # keys of labels that the pod does not have are not merged
            problems.error(
                (*path, "matchLabelKeys", index),
                invalid(key, Message("exists in both matchLabelKeys and labelSelector")),
            )
        if key in mismatch:
            reason = Message("exists in both matchLabelKeys and mismatchLabelKeys")
            problems.error((*path, "matchLabelKeys", index), invalid(key, reason))


def _selected_keys(selector: Manifest | None, labels: Labels) -> Counter[str]:
    """Count each key in the selector, except in requirements that the API server may have merged.

    Those have the operator In with the pod's own value.
    """
    if not selector:
        return Counter()
    named = [
        expression.get("key") or ""
        for expression in selector.get("matchExpressions") or ()
        if expression.get("operator") != "In" or expression.get("values") != [labels.get(expression.get("key") or "")]
    ]
    return Counter([*(selector.get("matchLabels") or ()), *named])


def tolerations(data: Any, path: Path, problems: Problems) -> tuple[Toleration, ...]:
    """Build the tolerations (`ValidateTolerations`), without their tolerationSeconds, which the scheduler ignores."""
    result = []
    for index, entry in enumerate(data or ()):
        key, value, effect = entry.get("key") or "", entry.get("value") or "", entry.get("effect") or ""
        operator = entry.get("operator") or "Equal"
        at = (*path, index)
        if key and (reason := qualified_name(key)):
            problems.error((*at, "key"), invalid(key, reason))
        if not key and operator != "Exists":
            reason = Message('operator must be Exists when `key` is empty, which means "match all values and all keys"')
            problems.error((*at, "operator"), invalid(operator, reason))
        if entry.get("tolerationSeconds") is not None and effect != "NoExecute":
            reason = Message("effect must be 'NoExecute' when `tolerationSeconds` is set")
            problems.error((*at, "effect"), invalid(effect, reason))
        if operator == "Exists" and value:
            problems.error(
                (*at, "operator"), invalid(value, Message("value must be empty when `operator` is 'Exists'"))
            )
        elif reason := label_value(value):
            problems.error((*at, "value"), invalid(value, reason))
        result.append(Toleration(key, "Exists" if operator == "Exists" else "Equal", value, effect))
    return tuple(result)


def spread_constraints(
    data: Any, path: Path, problems: Problems, labels: Labels
) -> tuple[TopologySpreadConstraint, ...]:
    """Build the constraints (`validateTopologySpreadConstraints`); the plugin merges matchLabelKeys itself."""
    result: list[TopologySpreadConstraint] = []
    seen: set[tuple[str, str]] = set()
    for index, entry in enumerate(data or ()):
        at = (*path, index)
        constraint = spread_constraint(entry, at, problems, labels)
        kind = (constraint.topology_key, constraint.when_unsatisfiable)
        if kind in seen:
            reason = Message("one constraint per topologyKey and whenUnsatisfiable")
            found_again = duplicate(f"{{{kind[0]}, {kind[1]}}}")
            problems.error(at, Message("{problem}: {reason}", problem=found_again, reason=reason))
        seen.add(kind)
        result.append(constraint)
    return tuple(result)


def spread_constraint(data: Manifest, path: Path, problems: Problems, labels: Labels) -> TopologySpreadConstraint:
    """Build a constraint of a pod with these labels, or of PodTopologySpreadArgs ({})."""
    skew, key, action = data.get("maxSkew") or 0, data.get("topologyKey") or "", data.get("whenUnsatisfiable") or ""
    domains = data.get("minDomains")
    if skew <= 0:
        problems.error((*path, "maxSkew"), invalid(skew, Message("must be greater than zero")))
    if not key:
        problems.error((*path, "topologyKey"), required(Message("can not be empty")))
    if not action:
        problems.error((*path, "whenUnsatisfiable"), not_supported("", ("DoNotSchedule", "ScheduleAnyway")))
    if domains is not None and domains <= 0:
        problems.error((*path, "minDomains"), invalid(domains, Message("must be greater than zero")))
    if domains is not None and action != "DoNotSchedule":
        reason = Message("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}", action=action)
        problems.error((*path, "minDomains"), invalid(domains, reason))
    _check_label_keys({**data, "mismatchLabelKeys": ()}, path, problems, labels)
    return TopologySpreadConstraint(
        max_skew=skew,
        topology_key=key,
        when_unsatisfiable=cast(Literal["DoNotSchedule", "ScheduleAnyway"], action),
        selector=label_selector(data.get("labelSelector"), (*path, "labelSelector"), problems),
        min_domains=domains,
        node_affinity_policy=data.get("nodeAffinityPolicy") or "Honor",
        node_taints_policy=data.get("nodeTaintsPolicy") or "Ignore",
        match_label_keys=tuple(data.get("matchLabelKeys") or ()),
    )
