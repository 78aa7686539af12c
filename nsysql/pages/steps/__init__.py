"""The steps page: how long the steps of a program take, how much they vary, and why some are slow.

`gather` runs the queries, `measures` computes statistics, `page` has the sections, `document` the JSON.
"""
