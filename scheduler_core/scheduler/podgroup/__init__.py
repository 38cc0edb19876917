"""Pod group scheduling (kube-scheduler: schedule_one_podgroup.go), with the feature gate GenericWorkload.

group        the members that are tried together
cycle        the pod group cycle from the pop to its end
algorithm    the evaluation of all members in order, on all nodes or in each placement
members      the evaluation of one member, and its reversal
placements   the placements of a group, and the best one
preemption   victims for the group as a whole (WorkloadAwarePreemption)
submit       the application of the result to each member and to the PodGroup
results      the data that these modules exchange
"""
