"""Write frames, pages and timelines in output formats.

Formats for programs keep values exact; tables and pages scale them for reading, by the unit at the end of a column's
name.
"""
