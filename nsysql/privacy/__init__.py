"""A copy of an export that is safe to share: what is private replaced, what the reports count kept.

words.py finds what a capture's private words are, scrub.py replaces them in a text, copy.py writes the export.
"""
