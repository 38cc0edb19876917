"""The scheduler around the plugins, in plain code: its cluster, its queue, one attempt after another."""
