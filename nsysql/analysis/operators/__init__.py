"""What ran under each NVTX path: CPU time, GPU work and idle time, each nanosecond under one path.

`tree` knows what lies under what, `accounts` adds up.
"""
