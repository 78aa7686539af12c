"""Several ranks of one job, or several runs of one program: who is who, on one clock, and who keeps whom waiting.

`facts` reads one export, and is all that asks one; `reading` reads many. `identity` says which rank each process is,
`collectives` matches what the ranks did together, `clocks` puts the exports on one clock, `straggler` says who came
last and why; `job` does all of it in order.
"""
