"""Frames in the forms in which people and programs want them, one file per form.

Each form's `write(frame, file)` writes a polars frame, of whatever origin, to an open binary file. Programs'
forms keep values exact; table and markdown scale them for reading, by the unit at the end of a column's name.
"""
