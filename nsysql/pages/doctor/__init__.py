"""`nsysql doctor`: what an export can and cannot answer, nsys's own messages, and inconsistencies.

`answers` checks every question against the export, `gather` collects the rest, `page` has the sections, `document` the
JSON.
"""
