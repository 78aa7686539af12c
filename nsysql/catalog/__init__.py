"""Read .sql files: queries, views, parameters, filters, dependencies. No database; standard library only."""
