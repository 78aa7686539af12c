"""A copy of an export that is safe to share: private data is replaced, what reports count is kept."""
