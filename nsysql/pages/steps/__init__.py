"""The steps page: how long the loop takes that a program repeats, how much it varies, and what the slow ones have.

`gather` asks the queries, `measures` what the steps come to, `page` says it for people, `document` for programs.
"""
