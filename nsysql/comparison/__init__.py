"""Two sides of captures, each as plain data: what changed between them, and whether that is more than noise.

A `Capture` is what a digest holds. Nothing here opens an export.
"""
