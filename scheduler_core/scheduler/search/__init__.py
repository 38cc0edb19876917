"""The search for a node: feasible nodes, extenders, the best node, and the reasons if there is none (schedulePod)."""
