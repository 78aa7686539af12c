"""Reproduce `nsys analyze`: rules by name, with advice, in the formats of `nsysql stats`.

Rules are ordinary queries (queries/rules); here they get their titles and advice, and are printed by stats.
"""
