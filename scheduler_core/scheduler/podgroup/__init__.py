"""Pod group scheduling (kube-scheduler: schedule_one_podgroup.go), with the feature gate GenericWorkload.

group        the members that are tried together
cycle        the pod group cycle from the pop to its end
algorithm    the members one after the other, on all nodes or in one placement after the other
members      one member: tried on a node, and taken off again
placements   which placements there are, and which one is the best
preemption   victims for the group as a whole (WorkloadAwarePreemption)
submit       what the result means for each member and for the PodGroup
results      what these hand to each other
"""
