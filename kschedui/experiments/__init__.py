"""Experiments: asked for, worked on in batches of cells by workers of their own queue, and what came of them."""
