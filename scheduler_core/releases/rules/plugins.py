"""What plugins do differently from release to release."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Message
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class PluginRules:
    """In the order of kube-scheduler's default plugins."""

    taint_toleration_reason_names_the_taint: bool = rule(
        "TaintToleration",
        "plugins/tainttoleration/taint_toleration.go: Filter",
        {
            False: Message("the reason is the same for every taint: node(s) had untolerated taint(s)"),
            True: Message("the reason names the first taint that is not tolerated"),
        },
    )
    inter_pod_affinity_hint_sees_both_sides: bool = rule(
        "InterPodAffinity",
        "plugins/interpodaffinity/plugin.go: isSchedulableAfterPodChange",
        {
            True: Message(
                "a rejected pod is tried again when a pod whose anti-affinity kept it out is deleted, and when its own "
                "labels change"
            ),
            False: Message(
                "a rejected pod is tried again only for pods that its own terms match: the end of a pod whose "
                "anti-affinity kept it out does not wake it"
            ),
        },
    )
    balanced_allocation_scores_the_improvement: bool = rule(
        "NodeResourcesBalancedAllocation",
        "plugins/noderesources/balanced_allocation.go: balancedResourceScorer",
        {
            True: Message("the score tells how much the pod improves the node's balance, from 50 to 100"),
            False: Message("the score tells how balanced the node is with the pod on it, from 50 to 100"),
        },
    )
    pods_without_preferences_are_not_scored: bool = rule(
        "",
        "framework/plugins/interpodaffinity/scoring.go, podtopologyspread/scoring.go: PreScore",
        {
            True: Message("InterPodAffinity and PodTopologySpread give no score if they have nothing to weigh"),
            False: Message(
                "InterPodAffinity and PodTopologySpread score all nodes alike if they have nothing to weigh"
            ),
        },
    )
    empty_selectors_count_no_pod: bool = rule(
        "PodTopologySpread",
        "plugins/podtopologyspread/common.go: countPodsMatchSelector",
        {
            True: Message("an empty selector counts no pod"),
            False: Message("an empty selector counts all pods of the namespace"),
        },
    )
    every_term_names_a_node: bool = rule(
        "NodeAffinity",
        "plugins/nodeaffinity/node_affinity.go: PreFilter",
        {
            False: Message("the nodes that the terms name are united"),
            True: Message("a term that names no node rejects the pod, whatever the others name"),
        },
    )
