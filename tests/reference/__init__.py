"""kube-scheduler's scheduling cycle as plain loops over nodes and pods: the oracle for the columnar engine.

Nothing here shares code with `scheduler_core` beyond the objects, the selectors and the configuration that the parser
produces. A cluster is a list of (node, pods on it) pairs in snapshot order; every question is answered from scratch.

    state           the cluster, its node order, nominations, terminations, disruption budgets, claims being bound
    node_rules,     filters and scores that look at one node only; what a pod asks for, from its manifest
    node_plugins, resources, pod_amounts
    pod_topology_spread, inter_pod_affinity, volumes, volume_binding
    filters, scores the plugins of a profile, one after the other
    extenders       what scripted extenders add
    preemption      DefaultPreemption
    cycle           one scheduling attempt as a decision record, and its effect on the cluster
    replay          a whole scenario: each attempt of the engine beside the reference's
    scenarios,      random scenarios: pods and nodes, storage, configurations, what happens over time
    scenario_*

A filter verdict is (code, reasons); "Success" has no reasons.
"""
