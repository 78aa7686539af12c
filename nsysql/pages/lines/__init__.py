"""Where in the source the time goes: GPU work, waits, idle time and CPU samples by line.

`gather` runs the query, `page` has the sections, `source` finds the text of the lines.
"""
