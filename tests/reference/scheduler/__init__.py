"""The scheduler around the plugins, plainly: its cluster, its queue, one attempt after the other."""
