"""Make a copy of an export that is safe to share: private data is replaced, what reports count is kept.

`scrubber` finds a capture's private words and replaces them in a text, `capture/redacted_copy` writes the export.
"""
