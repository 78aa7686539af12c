"""Attribute every idle nanosecond of every GPU to exactly one cause: the idle ledger.

`intervals` finds which rows overlap which intervals, and which win where they overlap each other, in sorted frames;
`ledger` applies it to gaps and threads, all at once or in the `blocks` of a large export. The evidence comes from
views, the results become the views `_idle_gap` and `_idle_piece`, and the questions (idle_gaps, idle_ledger ...) are
ordinary queries over these. `nvtx_paths` adds the NVTX ranges that a thread is in during them.
"""
