"""The scheduling cycle, the binding cycle and the handling of failures (kube-scheduler: pkg/scheduler).

search      the nodes that fit, and the best of them
apiserver   writes, injected faults, and watch events
podgroup    scheduling of a pod group as a unit
"""
