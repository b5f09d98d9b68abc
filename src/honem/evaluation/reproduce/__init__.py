"""Resumable runs, tables, figures and reports: what `honem evaluate` and `honem reproduce` write."""
