"""Short names of kernels, and texts truncated to fit: for pages and renderers."""
