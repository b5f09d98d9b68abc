"""Evaluation tasks, one module each; every module registers its task."""
