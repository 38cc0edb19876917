"""Karpenter: nodes made for the pods that wait, and nodes replaced or removed for less money."""
