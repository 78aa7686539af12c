"""Make the digest of a capture, which is all that comparisons, ranks and many runs read of it."""
