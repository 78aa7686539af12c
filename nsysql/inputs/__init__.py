"""How each kind of input is looked at and handed to DuckDB."""
