"""The plugins of the schedulers before 1.19."""
