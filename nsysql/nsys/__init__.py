"""nsys stats and nsys analyze, reproduced byte for byte."""
