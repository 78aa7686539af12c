"""Views that Python computes: sweeps over sorted polars frames. No DuckDB."""
