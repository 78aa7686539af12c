"""Many exports at once, on Dask: which files, what each is asked, where the answers lie, and what they come to.

`files` finds the exports, `question` is what each is asked, `task` is what one worker does with one file, `cluster`
the workers, `store` the folder with the answers, `reduce` reads them with DuckDB, and `runs` is what
`nsysql.open_runs` gives.
"""
