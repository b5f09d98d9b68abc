"""Compiled inner loops of the baselines; imported when a method is fitted, because Numba is slow to import."""
