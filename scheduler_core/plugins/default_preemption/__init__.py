"""Preemption: pods of lower priority are evicted (kube-scheduler: framework/preemption, plugins/defaultpreemption).

evaluator      the whole of it: eligibility, candidates, extenders, choice
candidates     which nodes are tried, and when enough are found
by_node        what dry runs found, node by node, and how long it is known
victims        the dry runs of a batch of nodes in lock step
budgets        which victims would violate a PodDisruptionBudget
pick_one_node  the six criteria by which one candidate is chosen
report         the trace's record of it all, and the message for the pod
"""
