"""The report: verdict, timeline, tables and the longest gaps as chapters of one page.

`gather` asks the queries; `page` makes chapters of sections, which `nsysql.render.html` writes.
"""
