"""kube-scheduler's scheduling framework: what plugins implement (`interface`), and the runtime that runs them
(`runtime`).
"""
