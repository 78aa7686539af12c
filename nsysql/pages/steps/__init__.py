"""The steps page: how long the steps of a program take, how much they vary, and why some are slow."""
