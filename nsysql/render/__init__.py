"""Write frames in output formats, one file per format.

Each format's `write(frame, file)` writes any polars frame to an open binary file. Formats for programs keep values
exact; table and markdown scale them for reading, by the unit at the end of a column's name.
"""
