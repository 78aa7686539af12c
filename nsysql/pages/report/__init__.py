"""The report: verdict, timeline, tables and the longest gaps as chapters of one page."""
