"""The source line that each thread was at over time, and the idle time that passed there.

`nearest` extends samples to intervals, `places` merges all evidence into one timeline of source lines per thread,
`idle` splits the idle time by it.
"""
