"""Make a copy of an export that is safe to share: private data is replaced, what reports count is kept.

`secrets` finds a capture's private words, `scrubber` replaces them in a text, `redacted_copy` writes the export.
"""
