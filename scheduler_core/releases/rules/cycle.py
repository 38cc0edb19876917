"""What scheduling and binding do differently from release to release."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Message
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class CycleRules:
    """In the order of an attempt."""

    ties_are_drawn: bool = rule(
        "",
        "schedule_one.go: newSortedNodeScores, selectHost",
        {
            False: Message("of several best nodes the top of a binary heap is taken, which is not random"),
            True: Message("one of several best nodes is drawn at random"),
        },
    )
    binding_a_nominated_pod_wakes_others: bool = rule(
        "",
        "eventhandlers.go: deletePodFromSchedulingQueue",
        {
            False: Message("binding a pod that had a nominated node wakes no waiting pod"),
            True: Message(
                "binding a pod that had a nominated node wakes waiting pods of its priority or lower, as if it had "
                "been deleted"
            ),
        },
    )
    terminating_victims_are_marked: bool = rule(
        "DefaultPreemption",
        "framework/preemption/preemption.go: prepareCandidate",
        {
            False: Message("a victim that ends already is left alone"),
            True: Message(
                "a victim that ends already gets the condition DisruptionTarget all the same, and blocks the next "
                "preemption of its preemptor"
            ),
        },
    )
    nodes_cut_off: str = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            "told": Message("nodes that PreFilter leaves out are told with the plugins that left them out"),
            "untold": Message("nodes that PreFilter leaves out are not mentioned in the message"),
            "rejected": Message("nodes that PreFilter leaves out are rejected one by one, as by a filter"),
            "unjudged": Message("nodes that PreFilter leaves out have no verdict, so preemption tries them"),
        },
    )
    search_goes_on_in_narrowed_nodes: bool = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            False: Message("the next search begins after the nodes that were looked at, counted among all nodes"),
            True: Message(
                "the next search begins after the nodes that were looked at, counted among those that PreFilter left"
            ),
        },
    )
    narrowing_plugins_are_blamed: bool = rule(
        "",
        "framework/runtime/framework.go: RunPreFilterPlugins",
        {
            True: Message("plugins that leave nodes out in PreFilter count among those that rejected the pod"),
            False: Message("plugins that leave nodes out in PreFilter do not count among those that rejected the pod"),
        },
    )
    victims_take_the_preemptors_status: bool = rule(
        "DefaultPreemption",
        "framework/preemption/preemption.go: prepareCandidate",
        {
            False: Message("a victim keeps its status, with the condition DisruptionTarget"),
            True: Message("a victim gets the preemptor's status by mistake, and so no start time"),
        },
    )
    preemption_tries_all_but_unresolvable: bool = rule(
        "DefaultPreemption",
        "framework/preemption/preemption.go: nodesWherePreemptionMightHelp",
        {
            False: Message("preemption tries the nodes that were judged Unschedulable"),
            True: Message("preemption tries all nodes that were not judged UnschedulableAndUnresolvable"),
        },
    )
    nodes_named_by_pre_filter_must_exist: bool = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            False: Message("PreFilter may name nodes that do not exist"),
            True: Message("the attempt fails with an error if PreFilter names a node that does not exist"),
        },
    )
    no_node_left_is_unresolvable: bool = rule(
        "",
        "framework/runtime/framework.go: RunPreFilterPlugins",
        {
            True: Message("when PreFilter leaves no node, no eviction can help"),
            False: Message("when PreFilter leaves no node, evictions are tried"),
        },
    )
    pre_filter_goes_on_after_a_plain_rejection: bool = rule(
        "",
        "framework/runtime/framework.go: RunPreFilterPlugins",
        {
            True: Message("after a plain rejection the other PreFilter plugins still run"),
            False: Message("any rejection ends PreFilter"),
        },
    )
    search_ignores_who_scores: bool = rule(
        "",
        "schedule_one.go: findNodesThatPassFilters",
        {
            False: Message("the first feasible node is enough if nobody scores"),
            True: Message("as many feasible nodes are looked for even if nobody scores"),
        },
    )
    extenders_are_blamed: bool = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            True: Message("a pod that extenders rejected is tried again after any event"),
            False: Message("extenders do not count among those that rejected a pod"),
        },
    )
    ignorable_extenders_may_fail_to_bind: bool = rule(
        "",
        "schedule_one.go: extendersBinding",
        {
            True: Message("if an ignorable extender fails to bind, another one does"),
            False: Message("the binding fails if any extender fails to bind, an ignorable one too"),
        },
    )
    post_filter_message_gets_a_dot: bool = rule(
        "",
        "framework/types.go: FitError.Error",
        {
            False: Message("what PostFilter says stands in the message as it is"),
            True: Message("a dot follows what PostFilter says in the message"),
        },
    )
    scores_are_allocated_without_skipped: bool = rule(
        "",
        "framework/runtime/framework.go: RunScorePlugins",
        {
            False: Message("any number of plugins may be skipped by PreScore"),
            True: Message("the scheduler panics if PreScore skips more plugins than score"),
        },
    )
    pre_filter_rejects_every_node: bool = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            True: Message("when PreFilter rejects a pod, every node has that status"),
            False: Message("when PreFilter rejects a pod, evictions are tried on every node, though they must fail"),
        },
    )
    post_filter_errors_are_told: bool = rule(
        "",
        "schedule_one.go: schedulingCycle",
        {
            True: Message("the message tells errors of PostFilter"),
            False: Message("the message does not tell errors of PostFilter"),
        },
    )
    only_victims_of_preemption_block_it: bool = rule(
        "DefaultPreemption",
        "plugins/defaultpreemption/default_preemption.go: PodEligibleToPreemptOthers",
        {
            True: Message("a pod waits for pods on its nominated node that preemption evicted"),
            False: Message("a pod waits for any terminating pod of lower priority on its nominated node"),
        },
    )
    first_rejection_ends_filtering: bool = rule(
        "",
        "framework/runtime/framework.go: RunFilterPlugins",
        {
            True: Message("the first plugin that rejects a node decides"),
            False: Message("all plugins judge every node: their reasons add up, the strongest rejection counts"),
        },
    )
    pre_filter_reasons_are_counted: bool = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            False: Message("the message gives the reason of PreFilter once"),
            True: Message("the message counts the reason of PreFilter for every node"),
        },
    )
    bind_errors_say_rejected: bool = rule(
        "",
        "schedule_one.go: scheduleOne",
        {
            False: Message("the message gives an error of Bind as it is"),
            True: Message("the message says “binding rejected” before an error of Bind"),
        },
    )
    victims_get_a_condition: bool = rule(
        "DefaultPreemption",
        "framework/preemption/preemption.go: prepareCandidate",
        {
            True: Message("victims get the condition DisruptionTarget before they are deleted"),
            False: Message("victims get no condition before they are deleted"),
        },
    )
