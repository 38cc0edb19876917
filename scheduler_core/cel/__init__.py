"""The Common Expression Language as Kubernetes uses it: parser, type checker, evaluation and cost.

Selectors of devices and user-defined rules are CEL expressions.
"""
