"""`nsysql doctor`: what an export can and cannot answer, what nsys said of it, and what is odd in it.

`answers` holds every question against the export, `columns` knows which columns a question reads, `gather`
asks for the rest, `page` says it for people, `document` for programs.
"""
