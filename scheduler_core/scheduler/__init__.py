"""The scheduling cycle, the binding cycle and the handling of failures (kube-scheduler: pkg/scheduler).

search      which nodes fit, and which of them is the best
apiserver   writes, injected faults, and watch events
podgroup    scheduling of a pod group as a unit
"""
