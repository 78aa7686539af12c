"""Make the digest of a capture: what comparisons, ranks and many runs know of it."""
