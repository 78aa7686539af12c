"""Nest NVTX ranges and find the launches in them by sweeps over sorted frames, where joins would take long.

Rare cases (partly overlapping ranges of a thread, nested launch calls) are left to SQL views that handle everything.
Ranges come in `blocks`, from memory, or from disk if they are many, with their launch calls from `launches`.
"""
