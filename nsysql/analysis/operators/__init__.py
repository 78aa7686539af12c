"""Sum CPU time, GPU work and idle time by NVTX path, each nanosecond under one path.

`tree` nests the paths, `accounts` sums under them.
"""
