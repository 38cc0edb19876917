"""kube-scheduler as plain loops over nodes and pods: the oracle for the columnar engine.

Nothing here shares rules with `scheduler_core`: only the objects, selectors and configuration that the parser produces,
the way an update is merged into a stored object, the tables of CSI migration, and one limit of the simulation itself. A
cluster is a list of (node, pods on it) pairs in snapshot order; every result is computed from scratch.

    framework   the plugin interface; events; a pod's requests, from its manifest
    plugins     a file for each family, under its name in `scheduler_core/plugins`
    scheduler   cluster, queue, single attempts, whole runs; `replay` compares them with the engine
    scenarios   random scenarios, and how to reduce one that shows a difference
"""
