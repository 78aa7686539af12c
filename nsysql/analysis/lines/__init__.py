"""Find the source line of each thread over time, and the idle time that passed there.

`places` merges all evidence into one timeline of source lines per thread, and splits the idle time by it.
"""
