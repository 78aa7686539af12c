"""The timeline: rows of GPUs and threads with what ran in them, as data that renderers draw.

`gather` asks the queries, `tracks` makes rows of the answers, `model` is what a renderer gets.
"""
