"""Which place of the source each thread was at, when, and what of the idle time passed there.

`nearest` makes stretches of samples, `places` puts all that tells a place on one line of time for each thread,
`idle` cuts the idle time by it.
"""
