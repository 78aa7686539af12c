"""DuckDB on one export: connection, layout of views, time window, failures."""
