"""Short names of kernels, and texts cut to fit: for pages and renderers."""
