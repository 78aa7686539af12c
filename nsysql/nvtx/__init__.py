"""NVTX ranges in one another and around launches: sweeps over sorted frames, where joins would take long.

What is odd (ranges of a thread that cross, launching calls that lie in each other) is left to the SQL views
that hold for everything; hardly any export has it.
"""
