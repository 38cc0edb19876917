"""Events, keyframes and chunks: what a run leaves behind, and what is made of it."""
