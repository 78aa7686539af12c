"""The summary page: a first screen of parts and findings, and behind --all what was captured, what ran, and how long.

`tables` has the sections, `page` puts them together.
"""
