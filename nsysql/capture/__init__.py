"""Query one export with DuckDB: open it, create its views, narrow it to a time window, explain failures."""
