"""How each export format is inspected and attached to DuckDB; the other packages see a Source."""
