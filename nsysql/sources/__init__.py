"""How each form of export is looked at and handed to DuckDB; the rest of the house sees a Source."""
