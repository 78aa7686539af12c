"""Where in the source the time goes: GPU work, waits, idle time and CPU samples by line.

`gather` asks the query, `page` makes sections of it, `source` finds the text of the lines.
"""
