"""Other ways to decide which contexts are rules, with which benchmarks/rules.py compares honem's criterion."""
