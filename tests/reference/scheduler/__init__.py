"""The scheduler around the plugins, in plain code: its cluster, its queue, single attempts and whole runs."""
