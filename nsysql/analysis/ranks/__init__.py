"""Analyze several ranks of one job, or several runs of one program: rank numbers, a common clock, and the straggler."""
