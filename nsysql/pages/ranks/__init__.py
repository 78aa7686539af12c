"""The ranks page: which rank keeps the others waiting in a job.

`sentences` has the verdict, `page` the sections, `document` the JSON; `heat_map` is a section.
"""
