"""The page of `nsysql idle-gaps`: why each GPU was idle, and what to do first.

`gather` asks the queries, `page` says it for people, `document` for programs, `explain` shows one gap in full.
"""
