"""Builds a `SchedulerConfiguration` from a Policy document: the predicates and priorities that run before 1.19.

kube-scheduler 1.15 and 1.16: factory/{factory,plugins}.go (CreateFromConfig, RegisterCustomFitPredicate,
RegisterCustomPriorityFunction) and api/validation; 1.18: factory.go (createFromConfig), apis/config/validation and
framework/plugins/legacy_registry.go. Without `predicates` or `priorities` the default ones run; two predicates always
do. `Release.policy` has the plugins of the names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.config import SchedulerConfiguration
from scheduler_core.apis.messages import Message
from scheduler_core.releases import Release
from scheduler_core.releases.release import PolicyNames
from scheduler_core.scenario.fields.config_fields import POLICY
from scheduler_core.scenario.fields.schema import check
from scheduler_core.scenario.reading.problems import Path, Problems, did_you_mean, invalid, one_of, required, show
from scheduler_core.scenario.settings.configuration import build_configuration
from scheduler_core.scenario.settings.plugin_args import function_shape

MANDATORY = ("CheckNodeUnschedulable", "PodToleratesNodeTaints")
OF_CONDITIONS = ("CheckNodeCondition", "CheckNodeDiskPressure", "CheckNodeMemoryPressure", "CheckNodePIDPressure")
BINDS_VOLUMES = "CheckVolumeBinding"
PREDICATE_ARGUMENTS = ("serviceAffinity", "labelsPresence")
PRIORITY_ARGUMENTS = ("serviceAntiAffinity", "labelPreference", "requestedToCapacityRatioArguments")
CAPACITY_RATIO = "requestedToCapacityRatioArguments"
LISTS = {  # by argument of the Policy: the plugin's argument that gets its labels, without and with `presence`
    "serviceAffinity": ("affinityLabels", "affinityLabels"),
    "labelsPresence": ("absentLabels", "presentLabels"),
    "serviceAntiAffinity": ("antiAffinityLabelsPreference", "antiAffinityLabelsPreference"),
    "labelPreference": ("absentLabelsPreference", "presentLabelsPreference"),
}
MAX_WEIGHT = 2**31 - 1
VALID_NAME = re.compile(r"[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])", re.ASCII)
SAME_IN_CONFIGURATION = (
    *("urlPrefix", "filterVerb", "preemptVerb", "prioritizeVerb", "bindVerb", "weight"),
    *("nodeCacheCapable", "managedResources", "ignorable"),
)
POINT_FIELDS = {"pre_filter": "preFilter", "filter": "filter", "pre_score": "preScore", "score": "score"}
Manifest = Mapping[str, Any]


def build_policy(data: Manifest, problems: Problems, release: Release) -> SchedulerConfiguration:
    """Build the configuration and report its problems; it has no profiles if the release reads no Policy.

    The same holds if a field has an invalid type. Only `profiles` and `extenders` are those of the Policy.
    """
    if release.policy is None:
        message = Message(
            "Kubernetes {release} reads no Policy; expected KubeSchedulerConfiguration", release=release.version
        )
        problems.error(("kind",), message)
        return SchedulerConfiguration(())
    if not check(POLICY, data, (), problems, strict=release.policy.decodes_strictly):
        return SchedulerConfiguration(())
    reader = _Reader(release, release.policy, problems)
    plugins = reader.filters(data.get("predicates"))
    if data.get("priorities") is not None:
        plugins |= reader.scores(data["priorities"])
    reader.report_conflicting_labels()
    reader.set_hard_affinity(data.get("hardPodAffinitySymmetricWeight") or 0)
    profile = {"plugins": plugins, "pluginConfig": [{"name": name, "args": args} for name, args in reader.args.items()]}
    extenders = [_extender(entry) for entry in data.get("extenders") or ()]
    points = {name: release.plugin_points[plugin] for name, plugin in reader.names.items()}
    configuration = build_configuration({"profiles": [profile], "extenders": extenders}, problems, points, release)
    checks_all = bool(data.get("alwaysCheckAllPredicates"))
    return replace(
        configuration,
        profiles=tuple(
            replace(built, checks_all_filters=checks_all, names_in_policy=reader.names)
            for built in configuration.profiles
        ),
    )


class _Reader(msgspec.Struct):
    """Reads the entries of a Policy. `args`: the arguments by plugin; `names`: plugins by a custom name."""

    release: Release
    policy: PolicyNames
    problems: Problems
    args: dict[str, dict[str, Any]] = {}
    names: dict[str, str] = {}
    weights: dict[str, int] = {}  # by plugin

    def filters(self, entries: Sequence[Manifest] | None) -> dict[str, Any]:
        """Return the plugin sets of the predicates in kube-scheduler's order; None: of the default predicates.

        The plugins of volume binding are disabled if their predicate is not enabled.
        """
        names = set(MANDATORY)
        if entries is None:
            names |= set(self.policy.default_predicates)
        users: dict[str, str] = {}
        for index, entry in enumerate(entries or ()):
            name = self._predicate(entry, ("predicates", index))
            for plugin in self.policy.predicates.get(name, ()):
                if users.setdefault(plugin, name) != name:
                    message = Message(
                        "{name} and {other} are both the plugin {plugin}, which cannot be enabled twice",
                        name=name, other=users[plugin], plugin=plugin,
                    )  # fmt: skip
                    self.problems.error(("predicates", index, "name"), message)
            names.add(name)
        enabled = [of_name for name, of_name in self.policy.predicates.items() if name in names]
        plugins = [plugin for of_name in enabled for plugin in of_name]
        sets = self._sets(("pre_filter", "filter"), list(dict.fromkeys(plugins)))
        if BINDS_VOLUMES not in names:
            without = {"disabled": [{"name": plugin} for plugin in self.policy.predicates[BINDS_VOLUMES]]}
            sets |= {"reserve": without, "preBind": without}
        return sets

    def scores(self, entries: Sequence[Manifest]) -> dict[str, Any]:
        """Return the plugin sets of the priorities, with their weights; invalid weights are reported and count as 1."""
        first: dict[str, Manifest] = {}  # by argument: the first entry, if all entries with it become one plugin
        for index, entry in enumerate(entries):
            path: Path = ("priorities", index)
            weight = entry.get("weight") or 0
            if not 0 < weight <= MAX_WEIGHT:
                reason = Message("must have a positive weight applied to it, up to {most}", most=MAX_WEIGHT)
                self.problems.error((*path, "weight"), invalid(weight, reason))
                weight = 1
            self._priority(entry, weight, path, first)
        defaults = [plugin.name for plugin in self.release.default_plugins]
        order = [*defaults, *self.release.plugin_points, *self.names]
        sets = self._sets(("pre_score", "score"), [name for name in dict.fromkeys(order) if name in self.weights])
        for plugin in sets["score"]["enabled"]:
            plugin["weight"] = self.weights[plugin["name"]]
        return sets

    def report_conflicting_labels(self) -> None:
        """Report labels that are to be both present and absent (`validateNoConflict` of 1.18)."""
        for args in self.args.values() if self.policy.merges_arguments else ():
            for absent, present in (LISTS["labelsPresence"], LISTS["labelPreference"]):
                for label in args.get(present, ()):
                    if label in args.get(absent, ()):
                        message = Message("label {label} is to be both present and absent", label=show(label))
                        self.problems.error(("predicates" if present == "presentLabels" else "priorities",), message)

    def set_hard_affinity(self, weight: int) -> None:
        """Set the weight with which required pod affinity counts in scores, 0 to 100; 0 leaves the default."""
        if not 0 <= weight <= 100:
            reason = Message("not in valid range [0-100]")
            self.problems.error(("hardPodAffinitySymmetricWeight",), invalid(weight, reason))
        elif weight:
            self.args[self.policy.priorities["InterPodAffinityPriority"]] = {"hardPodAffinityWeight": weight}

    def _predicate(self, entry: Manifest, path: Path) -> str:
        """Return the name of the predicate that an entry enables; "" if it enables none. Errors are reported."""
        name, predicates = entry.get("name") or "", self.policy.predicates
        argument = self._argument(entry, PREDICATE_ARGUMENTS, path)
        if argument is None:
            return ""
        if not argument:
            if name not in predicates:
                self._report_unknown(name, path, predicates)
            elif not predicates[name]:
                self._warn_of_order(path, name)
            elif not self.policy.merges_arguments and name in self.policy.arguments.values():
                field = next(kind for kind, owner in self.policy.arguments.items() if owner == name)
                self.problems.error((*path, "argument"), required(Message("expected {field}", field=field)))
            return name
        plugin = self.policy.arguments[argument]
        if self.policy.merges_arguments:
            if name in predicates:
                self._warn_of_own_name(path, name)
                return name
            self._add_labels(plugin, argument, entry)
            return next(predicate for predicate, plugins in predicates.items() if plugins == (plugin,))
        if name == plugin:
            self.args.pop(plugin, None)
            self._add_labels(plugin, argument, entry)
            return name
        if name in predicates:
            self._refuse_name(path, name, plugin)
        else:
            self._check_name(path, name)
            self._warn_of_order(path, plugin)
        return ""

    def _priority(self, entry: Manifest, weight: int, path: Path, first: dict[str, Manifest]) -> None:
        name, priorities = entry.get("name") or "", self.policy.priorities
        argument = self._argument(entry, PRIORITY_ARGUMENTS, path)
        if argument is None:
            return
        if not argument or (self.policy.merges_arguments and name in priorities):
            if argument:
                self._warn_of_own_name(path, name)
            if name not in priorities:
                self._report_unknown(name, path, priorities)
            elif priorities[name]:
                self.weights[priorities[name]] = weight
            return
        plugin = self.policy.arguments[argument]
        if argument == CAPACITY_RATIO:
            value = entry["argument"][CAPACITY_RATIO]
            function_shape(value.get("shape"), (*path, "argument", CAPACITY_RATIO, "shape"), self.problems)
            if value.get("resources") and not self.release.rules.capacity_ratio_weighs_resources:
                message = Message("Kubernetes {release} has no such field", release=self.release.version)
                self.problems.warn((*path, "argument", CAPACITY_RATIO, "resources"), message)
            for place, resource in enumerate(value.get("resources") or ()):
                if (resource.get("weight") or 0) < 0:
                    at = (*path, "argument", CAPACITY_RATIO, "resources", place, "weight")
                    self.problems.error(at, invalid(resource["weight"], Message("must not be less than 1")))
        if self.policy.merges_arguments:
            self._merge(entry, weight, argument, plugin, path, first)
            return
        if name in priorities or (name in self.release.plugin_points and name != plugin):
            self._refuse_name(path, name, plugin)
            return
        self._check_name(path, name)
        self.names[name], self.weights[name] = plugin, weight
        self.args.pop(name, None)
        self._add_labels(name, argument, entry)

    def _merge(
        self, entry: Manifest, weight: int, argument: str, plugin: str, path: Path, first: dict[str, Manifest]
    ) -> None:
        """Add an entry to those of its plugin, which must all have the same weight (`validateCustomPriorities`)."""
        other = first.setdefault(argument, entry)
        if other is not entry and argument == CAPACITY_RATIO:
            message = Message("{argument} is given twice, first in {name}", argument=argument, name=other.get("name"))
            self.problems.error((*path, "argument"), message)
        elif (other.get("weight") or 0) != weight:
            reason = Message(
                "all priorities with {argument} need the same weight; {name} has {weight}",
                argument=argument, name=other.get("name"), weight=other.get("weight"),
            )  # fmt: skip
            self.problems.error((*path, "weight"), invalid(weight, reason))
        self._add_labels(plugin, argument, entry)
        label_lists = dict.fromkeys(LISTS.get(argument, ()))
        labels = sum(len(self.args[plugin].get(name, ())) for name in label_lists)
        self.weights[plugin] = weight * max(labels, 1)
        if 0 < weight <= MAX_WEIGHT < self.weights[plugin]:
            reason = Message("the weights of all priorities with {argument} are too large together", argument=argument)
            self.problems.error((*path, "weight"), invalid(weight, reason))
            self.weights[plugin] = weight

    def _argument(self, entry: Manifest, kinds: Sequence[str], path: Path) -> str | None:
        """Return the kind of the entry's argument, "" if it has none; None if several or none are set, an error."""
        argument = entry.get("argument")
        if argument is None:
            return ""
        given_kinds = [kind for kind in kinds if argument.get(kind) is not None]
        if len(given_kinds) != 1:
            message = Message("expected exactly one of {kinds}", kinds=one_of(kinds))
            self.problems.error((*path, "argument"), message)
            return None
        return given_kinds[0]

    def _add_labels(self, plugin: str, argument: str, entry: Manifest) -> None:
        """Add the labels, or the shape and resources, of an entry's argument to the arguments of its plugin."""
        value = entry["argument"][argument]
        args = self.args.setdefault(plugin, {})
        if argument == CAPACITY_RATIO:
            args |= {name: value.get(name) or [] for name in ("shape", "resources")}
            return
        labels = value.get("labels") or [] if argument in PREDICATE_ARGUMENTS else [value.get("label") or ""]
        args.setdefault(LISTS[argument][bool(value.get("presence"))], []).extend(labels)

    def _sets(self, points: Iterable[str], plugins: Sequence[str]) -> dict[str, Any]:
        """Return plugin sets that enable only these plugins, in this order, at each of the extension points."""
        known = {name: self.release.plugin_points[self.names.get(name, name)] for name in plugins}
        return {
            POINT_FIELDS[point]: {
                "disabled": [{"name": "*"}],
                "enabled": [{"name": name} for name in plugins if point in known[name]],
            }
            for point in points
        }

    def _report_unknown(self, name: str, path: Path, names: Iterable[str]) -> None:
        hint: str = did_you_mean(name, list(names))
        if name in OF_CONDITIONS:
            hint = Message("; taints for the conditions of nodes take its place (TaintNodesByCondition)")
        if path[0] == "predicates":
            message = Message("no predicate {name} is known{hint}", name=show(name), hint=hint)
        else:
            message = Message("no priority {name} is known{hint}", name=show(name), hint=hint)
        self.problems.error((*path, "name"), message)

    def _refuse_name(self, path: Path, name: str, plugin: str) -> None:
        expected = plugin if plugin in self.policy.predicates else Message("a name of your own")
        message = Message(
            "an argument under the name of another rule, {name}, is not simulated; expected {expected}",
            name=name,
            expected=expected,
        )
        self.problems.error((*path, "name"), message)

    def _check_name(self, path: Path, name: str) -> None:
        """Report an invalid name (`validateAlgorithmNameOrDie`)."""
        if not VALID_NAME.fullmatch(name):
            reason = Message("must be two or more letters, digits and '-', with a letter or a digit at both ends")
            self.problems.error((*path, "name"), invalid(name, reason))

    def _warn_of_order(self, path: Path, expected: str) -> None:
        message = Message(
            "is never checked: Kubernetes {release} checks predicates in a fixed order of names; expected {name}",
            release=self.release.version,
            name="PodFitsHostPorts" if expected == "PodFitsPorts" else expected,
        )
        self.problems.warn((*path, "name"), message)

    def _warn_of_own_name(self, path: Path, name: str) -> None:
        message = Message(
            "is ignored: Kubernetes {release} reads no argument of {name}; expected another name",
            release=self.release.version,
            name=name,
        )
        self.problems.warn((*path, "argument"), message)


def _extender(data: Manifest) -> dict[str, Any]:
    """Convert an extender to the form of KubeSchedulerConfiguration; `httpTimeout` is in nanoseconds in a Policy."""
    same = {name: data[name] for name in SAME_IN_CONFIGURATION if name in data}
    timeout = data.get("httpTimeout")
    duration = {"httpTimeout": f"{timeout}ns"} if timeout else {}
    return {**same, **duration, "enableHTTPS": bool(data.get("enableHttps"))}
