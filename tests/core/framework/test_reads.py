"""`reads`, a plugin's promise about what its results depend on, is verified, and never changes a decision."""

from __future__ import annotations

from collections import defaultdict, deque
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scheduler_core import encode, parse_scenario, simulate
from scheduler_core.apis.config import PluginRef
from scheduler_core.framework.interface import SKIP, SUCCESS, Code, PreScoreResult, Reads, Status, Verdicts
from scheduler_core.framework.reads import LOAD_FIELDS, OBJECT_FIELDS, POD_FIELDS, ReadsError
from scheduler_core.framework.reads_guard import guarded_registry
from scheduler_core.framework.runtime.verdict_cache import VerdictCache
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import RELEASES
from tests.builders import configuration, node, pod, scenario
from tests.conformance.records import records_of
from tests.core.runs import bound

CONFORMANCE = Path(__file__).parents[2] / "conformance"


class Team:
    """A plugin that accepts only nodes of the pod's team."""

    name = "Team"
    reads = Reads(pod=("labels",), node=("labels",))

    def __init__(self, args, handle):
        self.handle = handle

    def filter(self, pod, state, nodes, rows, change):
        column, wanted = nodes.label("team"), pod.labels.get("team")
        answers = [value != wanted for value in column.values] + [wanted is not None]
        return Verdicts.reject(np.array(answers)[column.codes][rows], Status(Code.UNSCHEDULABLE, ("other team",)))


def with_plugins(*objects, filters=(), scores=(), **spec):
    """Return a scenario whose profile has these external plugins after its own."""
    plugins = {
        "filter": {"enabled": [{"name": name} for name in filters]},
        "score": {"enabled": [{"name": name, "weight": 3} for name in scores]},
    }
    profile = configuration(profiles=[{"plugins": plugins}])
    known = defaultdict(list)
    for point, names in (("filter", filters), ("score", scores)):
        for name in names:
            known[name].append(point)
    return parse_scenario(scenario(*objects, profile, **spec), known_plugins=known)


def teams():
    """Return pods that differ only in their team."""
    names = ("red", "blue")
    nodes = [node(name, labels={"team": name}) for name in names]
    return with_plugins(
        *nodes, *(pod(f"{name}-{i}", labels={"team": name}) for i in range(4) for name in names), filters=["Team"]
    )


@pytest.mark.parametrize("node_fields", [("labels",), ("labels", "requested", "pod_count"), None])
def test_pods_of_two_teams_go_to_their_own_nodes(node_fields):
    """The plugin reads only the node, reads its load too, or does not declare what it reads."""

    class Saying(Team):
        reads = node_fields and Reads(("labels",), node_fields)

    events = list(simulate(teams(), {**REGISTRY, "Team": Saying}))
    assert bound(events) == {f"{name}-{i}": name for i in range(4) for name in ("red", "blue")}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"pod": ("lables",)}, "no field 'lables'"),
        ({"node": ("priority",)}, "no field 'priority'"),
        ({"pod": ("volumes",)}, "'volumes' cannot be compared"),
        ({"node": "labels"}, "expected a tuple of names"),
    ],
)
def test_a_field_that_nobody_has_cannot_be_named(fields, sentence):
    with pytest.raises(ValueError, match=sentence):
        Reads(**fields)


def test_reads_that_are_mere_text_are_refused_before_the_run():
    class Textual(Team):
        reads = "node"

    with pytest.raises(ReadsError, match='plugin "Team": `reads` has to be a Reads'):
        next(simulate(teams(), {**REGISTRY, "Team": Textual}))


class Prepared:
    """Prepares its scores from the feasible nodes, although `reads` promises not to."""

    name = "Prepared"
    reads = Reads()

    def __init__(self, args, handle):
        pass

    def pre_score(self, pod, state, nodes, rows):
        return PreScoreResult(len(rows))

    def score(self, pod, state, nodes, rows):
        return np.full(len(rows), state)


def prepared():
    """Return two nodes and a pod that `Prepared` scores."""
    plugins = {point: {"enabled": [{"name": "Prepared"}]} for point in ("preScore", "score")}
    text = scenario(node("a"), node("b"), pod("p"), configuration(profiles=[{"plugins": plugins}]))
    return parse_scenario(text, known_plugins={"Prepared": ("pre_score", "score")})


def test_a_plugin_with_reads_must_not_prepare_its_scores_from_what_is_feasible():
    with pytest.raises(ReadsError, match='plugin "Prepared" has `reads`, so its PreScore must not leave a state'):
        list(simulate(prepared(), {**REGISTRY, "Prepared": Prepared}))


@pytest.mark.parametrize(
    ("reads", "look", "sentence"),
    [
        (Reads(node=("labels",)), lambda self, pod, nodes: None, "Team reads the pod's labels"),
        (Reads(pod=("labels",)), lambda self, pod, nodes: None, "Team reads the node's labels"),
        (Team.reads, lambda self, pod, nodes: nodes.taints, "Team reads the node's taints"),
        (Team.reads, lambda self, pod, nodes: nodes.nodes[0].taints, "Team reads the node's taints"),
        (Team.reads, lambda self, pod, nodes: np.array(nodes.nodes, object)[0].taints, "Team reads the node's taints"),
        (Team.reads, lambda self, pod, nodes: nodes.touched, "Team reads the node table's touched"),
        (Team.reads, lambda self, pod, nodes: self.handle.cluster, "Team reads handle's cluster"),
        (Team.reads, lambda self, pod, nodes: pod.manifest, "Team reads the pod's manifest"),
    ],
)
def test_the_guard_says_what_a_plugin_reads_without_naming_it(reads, look, sentence):
    class Curious(Team):
        def filter(self, pod, state, nodes, rows, change):
            look(self, pod, nodes)
            return super().filter(pod, state, nodes, rows, change)

    Curious.reads, Curious.__name__ = reads, "Team"
    with pytest.raises(ReadsError, match=sentence):
        list(simulate(teams(), guarded_registry({**REGISTRY, "Team": Curious})))


def test_the_guard_says_that_pre_score_looks_at_nodes_although_it_is_asked_once_for_pods_that_are_alike():
    class Counting(Prepared):
        def pre_score(self, pod, state, nodes, rows):
            return PreScoreResult(status=SUCCESS if len(rows) > 1 else SKIP)

    Counting.__name__ = "Prepared"
    with pytest.raises(ReadsError, match="Prepared reads in PreScore how many nodes there are"):
        list(simulate(prepared(), guarded_registry({**REGISTRY, "Prepared": Counting})))


NEVER_SEEN = {"NodeName": {("node", "name")}}  # it passes pods that name no node, and no others come to the filters


def with_all_plugins(made, plugins):
    """Return the scenario with those of the plugins added that its profiles leave out, at each of their extension
    points."""
    profiles = []
    for profile in made.config.profiles:
        points = dict(profile.plugins)
        enabled = {ref.name for refs in points.values() for ref in refs}
        for name, plugin in plugins.items():
            for point in () if name in enabled else ("pre_filter", "filter", "pre_score", "score"):
                if hasattr(plugin, point):
                    points[point] = (*points.get(point, ()), PluginRef(name, 1))
        profiles.append(replace(profile, plugins=points))
    return replace(made, config=replace(made.config, profiles=tuple(profiles)))


def seen_in_recorded_scenarios(registry):
    """Return the fields that each plugin with `reads` has read.

    Raises ReadsError for a field that `reads` does not name.
    """
    guarded = guarded_registry(registry)
    reading = {name: plugin for name, plugin in guarded.items() if hasattr(plugin, "reads")}
    for case in sorted(CONFORMANCE.glob("*/*.yaml")):
        text = case.read_text(encoding="utf-8")
        if "kind: Policy" in text:
            continue  # the default release has no Policy
        deque(simulate(with_all_plugins(parse_scenario(text), reading), guarded), maxlen=0)
        refused = f"{case.parent.name}/{case.stem}" in records_of("1.28") and "restartPolicy: Always" in text
        if refused:  # by 1.28's NodeResourcesFit, since it does not know sidecars
            deque(simulate(parse_scenario(text, release=RELEASES["1.28"]), guarded), maxlen=0)
    return {name: plugin.seen for name, plugin in reading.items()}


class OffByDefault(Team):
    """A plugin that no release enables. It reads the pod only for nodes with its label, which no recorded node has."""

    name = "OffByDefault"

    def filter(self, pod, state, nodes, rows, change):
        column = nodes.label("team")
        answers = [value != pod.labels.get("team") for value in column.values] + [False]
        return Verdicts.reject(np.array(answers)[column.codes][rows], Status(Code.UNSCHEDULABLE, ("other team",)))


ENABLED_BY_DEFAULT = {ref.name for release in RELEASES.values() for ref in release.default_plugins}


@pytest.mark.slow
def test_every_plugin_names_all_that_it_reads_and_nothing_else():
    """The guard verifies that `reads` names every field that is read.

    The recorded scenarios make the default plugins read all of their fields; they need not do so for other plugins.
    """
    registry = {**REGISTRY, "OffByDefault": OffByDefault}
    seen = seen_in_recorded_scenarios(registry)
    assert len(seen) >= 8
    for name in seen.keys() & ENABLED_BY_DEFAULT:
        reads = registry[name].reads
        named = {("pod", field) for field in reads.pod} | {("node", field) for field in reads.node}
        assert seen[name] == named - NEVER_SEEN.get(name, set()), name


# Plugins with arbitrary reads

TOLD = {
    "labels": {"team": "red"},
    "annotations": {"note": "x"},
    "priority": 7,
    "cpu": "300m",
    "nodeSelector": {"disk": "ssd"},
}
pod_fields = st.lists(st.sampled_from(sorted(POD_FIELDS - {"name", "uid", "key"})), max_size=3, unique=True)
node_fields = st.lists(st.sampled_from(sorted(OBJECT_FIELDS | LOAD_FIELDS)), max_size=3, unique=True)


@st.composite
def plugins(draw):
    """Draw plugin classes whose results depend only on the fields that they read; some do not declare them."""
    count, salt, says_so = draw(st.integers(1, 3)), st.integers(0, 9), st.booleans()
    fields = [(tuple(draw(pod_fields)), tuple(draw(node_fields))) for _ in range(count)]
    return [answering(f"Any{i}", *one, draw(salt), draw(says_so)) for i, one in enumerate(fields)]


def answering(own_name, of_pod, of_node, salt, says_so):
    """Return a plugin class whose verdicts and scores are a hash of these fields."""

    class Any:
        name = own_name
        reads = Reads(of_pod, of_node) if says_so else None

        def __init__(self, args, handle):
            pass

        def number(self, pod, nodes, row):
            seen = [repr(getattr(pod, field)) for field in of_pod]
            load = [field for field in of_node if field in LOAD_FIELDS]
            seen += [repr(getattr(nodes, field)[..., row].tolist()) for field in load]
            seen += [repr(getattr(nodes.nodes[row], field)) for field in of_node if field not in load]
            return salt + sum("".join(seen).encode())

        def filter(self, pod, state, nodes, rows, change):
            rejected = [self.number(pod, nodes, row) % 4 == 0 for row in nodes.all_rows[rows].tolist()]
            return Verdicts.reject(np.array(rejected, np.bool_), Status(Code.UNSCHEDULABLE, (own_name,)))

        def score(self, pod, state, nodes, rows):
            return np.array([self.number(pod, nodes, row) % 101 for row in nodes.all_rows[rows].tolist()], np.int64)

    return Any


@st.composite
def clusters(draw):
    """Draw nodes and pods, many of them alike, and changes of both."""
    nodes = [
        node(f"n{i}", cpu=draw(st.sampled_from((1, 4))), labels=draw(st.sampled_from((None, {"disk": "ssd"}))))
        for i in range(draw(st.integers(2, 5)))
    ]
    pods = []
    for i in range(draw(st.integers(4, 12))):
        told = draw(st.sets(st.sampled_from(sorted(TOLD)), max_size=2))
        pods.append(pod(f"p{i}", **{"cpu": "100m", **{name: TOLD[name] for name in sorted(told)}}))
    half = len(pods) // 2
    changes = [
        {"at": 1, "update": node("n0", cpu=4, taints=["away=now:NoSchedule"])},
        *({"at": 2, "create": one} for one in pods[half:]),
    ]
    return [*nodes, *pods[:half]], changes


@given(plugins(), clusters())
def test_decisions_are_the_same_when_nothing_is_kept(found, cluster):
    objects, changes = cluster
    names = [plugin.name for plugin in found]
    registry = {**REGISTRY, **{plugin.name: plugin for plugin in found}}

    def trace():
        made = with_plugins(*objects, filters=names, scores=names, events=changes, seed=1)
        return [encode(event) for event in simulate(made, registry)]

    kept = trace()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(VerdictCache, "results", lambda *_: None)
        assert kept == trace()
