"""Preemption: pods of lower priority are evicted (kube-scheduler: framework/preemption, plugins/defaultpreemption).

evaluator      the whole process: eligibility, candidates, extenders, selection
candidates     the nodes to try, and the number of candidates that is enough
by_node        cached results of dry runs by node
victims        the dry runs of a batch of nodes at once
budgets        the victims that would violate a PodDisruptionBudget
pick_one_node  the six criteria that select a candidate
report         the record for the trace, and the message for the pod
"""
