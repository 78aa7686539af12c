"""What limits a run: one verdict, from frames alone.

`collect` asks the queries for `facts`, `startup` finds where the program begins to repeat, `judge` weighs what limits
the rest, and `busy`, `idle` and `cold` say it in sentences that name things of this capture.
"""
