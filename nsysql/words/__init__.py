"""Write values for pages and renderers: short names of kernels, quantities, texts truncated to fit."""
