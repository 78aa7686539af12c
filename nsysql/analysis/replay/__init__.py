"""What if: a capture as a graph of who waits for whom, replayed with other durations. No DuckDB."""
