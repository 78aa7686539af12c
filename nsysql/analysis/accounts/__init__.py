"""What each nanosecond of a GPU, or of a thread, is counted as: exactly one account.

`busy_pieces` cuts the busy time of the GPUs by what ran.
"""
