"""nsys stats and analyze, byte for byte: queries whose columns have NVIDIA's titles; without polars, to start fast."""
