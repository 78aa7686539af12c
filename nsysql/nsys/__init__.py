"""nsys stats and nsys analyze, reproduced byte for byte: reports by name, in its formats.

Reports are ordinary queries whose columns have NVIDIA's titles; here they are only printed. To start fast, this imports
neither polars nor pyarrow.
"""
