"""The search for a node (schedulePod): feasible nodes, extenders, the best node, and the reasons if there is none."""
