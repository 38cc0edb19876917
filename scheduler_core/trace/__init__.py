"""Events, keyframes and chunks of a run, and summaries of them."""
