"""Executors, which run the tasks of the distributed driver. Each module except `base` is an engine of that name."""
