"""Frames, pages and timelines in output formats: exact for programs, scaled by the column's unit for reading."""
