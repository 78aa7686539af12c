"""Reproduce `nsys stats`: reports by name, in its formats, byte for byte.

Reports are ordinary queries whose columns have NVIDIA's titles; here they are only printed. To start fast, this imports
neither polars nor pyarrow.
"""
