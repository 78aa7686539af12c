"""Query many exports at once, on Dask.

`question` is a query with parameters, `task` is what one worker does with one file, `cluster` has the workers, `store`
is the folder of results, `reduce` reads these with DuckDB, and `runs` is what `nsysql.open_runs` returns.
"""
