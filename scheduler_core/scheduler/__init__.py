"""The scheduling cycle, the binding cycle and the handling of failures (kube-scheduler: pkg/scheduler).

search      which nodes fit, and which of them is the best
apiserver   what is written, what may fail, and what everybody hears of it
podgroup    a pod group as one thing
"""
