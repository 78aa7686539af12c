"""The faces of nsys: stats and analyze, byte for byte."""
