"""Query many exports at once, in worker processes of this machine or of a Dask cluster.

`question` is a query with parameters, `task` is what one worker does with one file, `workers` has those of
this machine and of a scheduler, `store` is the folder of results, read by DuckDB, and `runs` is what
`nsysql.open_runs` returns.
"""
