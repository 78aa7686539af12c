"""The ranks page: who keeps whom waiting in a job of several ranks.

`sentences` says the answer, `page` all of it for people, `document` for programs; `heat_map` is a section.
"""
