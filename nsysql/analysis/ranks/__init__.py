"""Analyze several ranks of one job, or several runs of one program: rank numbers, a common clock, and the straggler.

`identity` finds the rank of each process, `collectives` matches the ranks' collectives, `clocks` puts the exports on
one clock, `straggler` finds the rank that arrives last and why; `job` runs them in order.
"""
