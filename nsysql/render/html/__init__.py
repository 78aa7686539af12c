"""The report as one HTML file: a template, a style sheet and a script of the project's own, inlined.

`report` writes it, `page` makes cells of sections, `payload` packs the timeline's events for the script. The script
is in modules, one subject a file, in `script/`; they are joined in the order of `report.SCRIPT`.
"""
