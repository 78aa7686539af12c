"""Texts of .sql files: queries, views, parameters, filters, what they read. No database; standard library only."""
