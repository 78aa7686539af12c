"""Predict changes: a capture as a graph of waits, replayed with other durations. No DuckDB."""
