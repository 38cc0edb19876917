"""kube-scheduler as plain loops over nodes and pods: the oracle for the columnar engine.

It shares no rules with `scheduler_core`, but it uses the objects, selectors and configuration that the parser produces,
the function that merges an update into a stored object, the names of the plugins, the tables and volume handles of CSI
migration, and one limit of the simulation. A plugin sees the cluster as a list of (node, pods on it) pairs in snapshot
order, and computes every result from scratch.

    framework   the plugin interface; events; a pod's requests, from its manifest
    plugins     a file for each family, under its name in `scheduler_core/plugins`
    scheduler   cluster, queue, single attempts, whole runs; `replay` compares them with the engine
    scenarios   random scenarios, and how to reduce one that shows a difference
"""
