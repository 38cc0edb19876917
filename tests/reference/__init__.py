"""kube-scheduler as plain loops over nodes and pods: the oracle for the columnar engine.

Nothing here shares rules with `scheduler_core`: only the objects, selectors and configuration that the parser produces,
how an update merges into a stored object, the tables of CSI migration, and one limit of the simulation's own. A cluster
is a list of (node, pods on it) pairs in snapshot order; every question is answered from scratch.

    framework   what a plugin is and may look at; events; what a pod asks for, from its manifest
    plugins     one file a family, under the name that it has in `scheduler_core/plugins`
    scheduler   cluster, queue, one attempt after the other, a whole run; `replay` compares it with the engine
    scenarios   random scenarios, and how to make one smaller that shows a difference
"""
