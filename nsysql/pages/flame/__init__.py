"""The flame graph: stacks of NVTX ranges and what ran, as data that renderers draw.

`gather` asks the query, `model` is what a renderer gets.
"""
