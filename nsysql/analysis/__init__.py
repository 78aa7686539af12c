"""Compute views in Python: sweeps over sorted polars frames. No DuckDB."""
