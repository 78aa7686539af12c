"""The face that `nsys stats` users know: reports by name, in its formats, byte for byte.

Reports are ordinary queries whose columns carry NVIDIA's titles; here they are only printed. This is the
short way: it imports neither polars nor pyarrow.
"""
