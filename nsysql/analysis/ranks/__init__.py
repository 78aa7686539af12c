"""Several ranks of one job, or several runs of one program: rank numbers, a common clock, and the straggler.

`facts` is what is known of one export; nsysql.digest reads it. `identity` finds the rank of
each process, `collectives` matches the ranks' collectives, `clocks` puts the exports on one clock, `straggler` finds
the rank that arrives last and why; `job` runs them in order.
"""
