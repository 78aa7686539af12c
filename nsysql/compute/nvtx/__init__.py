"""NVTX ranges in one another and around launches: sweeps over sorted frames, where joins would take long.

What is odd (ranges of a thread that cross, launching calls that lie in each other) is left to the SQL views
that hold for everything; hardly any export has it. Ranges come in `blocks`, from memory or from disk where they are
many, with their launching calls from `ranges_with_launches`; what is made of the blocks is put together in `slices`.
"""
