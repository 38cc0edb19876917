"""Random KubeSchedulerConfigurations and extender scripts for the fuzz harness."""

from __future__ import annotations

from random import Random

from tests.reference.scenarios.pods import HARD, HOSTNAME, RACK, SOFT, ZONE, Manifest, chance, node_expression

SCORE_PLUGINS = ("TaintToleration", "NodeAffinity", "NodeResourcesFit", "NodeResourcesBalancedAllocation",
                 "PodTopologySpread", "InterPodAffinity", "ImageLocality")  # fmt: skip
FILTER_PLUGINS = ("TaintToleration", "NodeResourcesFit", "NodePorts", "PodTopologySpread", "InterPodAffinity")
EXTENDER = "http://extender.example/{}"


def configuration(random: Random) -> Manifest:
    """Return a configuration with one or two profiles with random arguments, weights and plugins."""
    found: Manifest = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    found["profiles"] = [_profile(random, "default-scheduler")]
    if chance(random, 2):
        found["profiles"].append(_profile(random, "packer"))
    if chance(random, 4):
        found["percentageOfNodesToScore"] = random.choice((5, 30, 60, 100))
    if chance(random, 4):
        found["podInitialBackoffSeconds"], found["podMaxBackoffSeconds"] = random.choice(((1, 2), (2, 4), (3, 10)))
    if chance(random, 3):
        found["extenders"] = [_extender(random, number) for number in range(random.choice((1, 1, 2)))]
    return found


def extender_scripts(random: Random, config: Manifest | None) -> Manifest:
    """Return the scripts of the configuration's extenders, as a part of the scenario's spec."""
    scripts = []
    for extender in (config or {}).get("extenders", ()):
        script: Manifest = {"urlPrefix": extender["urlPrefix"]}
        if chance(random, 2):
            script["filter"] = [_rule(random) | {"reject": "no licence", "unresolvable": chance(random, 3)}]
        if chance(random, 2):
            script["prioritize"] = [_rule(random) | {"score": random.choice((1, 10))}]
        if chance(random, 3):
            script["preempt"] = [_rule(random)]
        if chance(random, 4):
            verb = random.choice(("filter", "prioritize", "preempt"))
            script["failures"] = [{"verb": verb, "message": "connection refused", "times": random.choice((1, 2))}]
        scripts.append(script)
    return {"extenders": scripts} if scripts else {}


def _profile(random: Random, name: str) -> Manifest:
    args = [
        ("NodeResourcesFit", _fit(random)),
        ("DefaultPreemption", _preemption(random)),
        ("InterPodAffinity", _inter_pod_affinity(random)),
        ("NodeAffinity", _node_affinity(random)),
        ("PodTopologySpread", _spread(random)),
        ("NodeResourcesBalancedAllocation", _balanced(random)),
    ]
    profile: Manifest = {"schedulerName": name}
    profile["pluginConfig"] = [{"name": name, "args": values} for name, values in args if chance(random, 2)]
    dropped = [{"name": name} for name in SCORE_PLUGINS if chance(random, 5)]
    plugins: Manifest = {"score": {"disabled": dropped if random.randrange(8) else [{"name": "*"}]}}
    if chance(random, 4):
        weighed = random.sample(SCORE_PLUGINS, 2)
        plugins["score"]["disabled"] = [{"name": name} for name in weighed]
        plugins["score"]["enabled"] = [{"name": name, "weight": random.choice((1, 7, 10))} for name in weighed]
    if chance(random, 6):
        plugins["filter"] = {"disabled": [{"name": random.choice(FILTER_PLUGINS)}]}
    if chance(random, 8):
        plugins["postFilter"] = {"disabled": [{"name": random.choice(("DefaultPreemption", "DynamicResources", "*"))}]}
    profile["plugins"] = plugins
    if chance(random, 6):
        profile["percentageOfNodesToScore"] = random.choice((5, 80))
    return profile


def _fit(random: Random) -> Manifest:
    strategy: Manifest = {"type": random.choice(("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"))}
    names = random.sample(("cpu", "memory", "example.com/gpu", "ephemeral-storage"), random.choice((1, 2, 3)))
    strategy["resources"] = [{"name": name, "weight": random.choice((1, 3, 5))} for name in names]
    if strategy["type"] == "RequestedToCapacityRatio":
        shape = random.choice(
            (((0, 8), (60, 1), (100, 10)), ((0, 0), (100, 10)), ((40, 9), (75, 3)), ((0, 10), (99, 0)))
        )
        points = [{"utilization": utilization, "score": score} for utilization, score in shape]
        strategy["requestedToCapacityRatio"] = {"shape": points}
    fit: Manifest = {"scoringStrategy": strategy}
    if chance(random, 3):
        fit["ignoredResources"] = ["example.com/gpu"]
    elif chance(random, 4):
        fit["ignoredResourceGroups"] = ["example.com"]
    return fit


def _preemption(random: Random) -> Manifest:
    few = {
        "minCandidateNodesPercentage": random.choice((0, 30, 100)),
        "minCandidateNodesAbsolute": random.choice((0, 1, 2)),
    }
    if not any(few.values()):
        few["minCandidateNodesAbsolute"] = 1
    return few


def _inter_pod_affinity(random: Random) -> Manifest:
    args: Manifest = {"hardPodAffinityWeight": random.choice((0, 1, 20))}
    if chance(random, 3):
        args["ignorePreferredTermsOfExistingPods"] = True
    return args


def _node_affinity(random: Random) -> Manifest:
    added: Manifest = {}
    if chance(random, 2):
        added[HARD] = {"nodeSelectorTerms": [{"matchExpressions": [node_expression(random)]}]}
    if chance(random, 2) or not added:
        added[SOFT] = [{"weight": 30, "preference": {"matchExpressions": [node_expression(random)]}}]
    return {"addedAffinity": added}


def _spread(random: Random) -> Manifest:
    if chance(random, 3):
        return {"defaultingType": "System"}
    constraints = []
    for key in random.sample((ZONE, HOSTNAME, RACK), random.choice((0, 1, 2))):
        action = random.choice(("DoNotSchedule", "ScheduleAnyway"))
        constraints.append({"maxSkew": random.choice((1, 2)), "topologyKey": key, "whenUnsatisfiable": action})
    return {"defaultingType": "List", "defaultConstraints": constraints}


def _balanced(random: Random) -> Manifest:
    names = random.sample(("cpu", "memory", "example.com/gpu", "ephemeral-storage"), random.choice((1, 2, 3, 4)))
    return {"resources": [{"name": name, "weight": 1} for name in names]}


def _extender(random: Random, number: int) -> Manifest:
    found: Manifest = {"urlPrefix": EXTENDER.format(number), "weight": random.choice((1, 5))}
    for verb in ("filterVerb", "prioritizeVerb", "preemptVerb"):
        if chance(random, 2):
            found[verb] = verb.lower()
    if len(found) == 2:
        found["filterVerb"] = "filter"
    if chance(random, 4):
        found["ignorable"] = True
    if number == 0 and chance(random, 3):
        managed = {"name": "example.com/gpu", "ignoredByScheduler": chance(random, 2)}
        found["managedResources"] = [managed]
    return found


def _rule(random: Random) -> Manifest:
    rule: Manifest = {}
    if chance(random, 2):
        rule["pods"] = {"matchLabels": {"app": random.choice(("web", "db"))}}
    if random.randrange(3):
        rule["nodes"] = [f"n{i}" for i in range(6) if chance(random, 2)] or ["n0"]
    return rule
