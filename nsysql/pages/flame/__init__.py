"""The flame graph: stacks of NVTX ranges and what ran, as data that renderers draw.

`gather` runs the query, `model` is the input of renderers.
"""
