"""Compare two sides of captures, given as plain data: what changed, and whether it is more than noise.

A `Digest` is the content of a digest. Nothing here opens an export.
"""
