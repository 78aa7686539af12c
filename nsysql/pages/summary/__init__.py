"""The summary page: what was captured, what ran, and where the time went.

`gather` asks the queries, `page` says it for people, `document` for programs.
"""
