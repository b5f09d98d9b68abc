"""Evaluation tasks, one module each."""
