"""Compare two sides of digests: what changed, and whether it is more than noise. Nothing here opens an export."""
