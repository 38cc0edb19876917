"""The Common Expression Language as Kubernetes has it: parser, type checker, evaluation and cost.

Selectors of devices and rules of users are written in it.
"""
