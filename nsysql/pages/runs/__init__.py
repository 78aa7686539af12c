"""The page about many runs: a row for each, outliers, how much they differ, and when each was busy.

`one` queries one export, in a worker process; `gather` combines the results of all, `measures` computes statistics,
`page` has the sections, `document` the JSON.
"""
