"""The idle ledger: every idle nanosecond of every GPU attributed to exactly one cause.

`intervals` finds which rows overlap which intervals, and what wins where they overlap each other, in sorted frames;
`ledger` asks it about gaps and threads, of all at once or in the `blocks` of a large export. The evidence comes from
views, the answers become the views `_idle_gap` and `_idle_piece`, and the questions (idle_gaps, idle_ledger ...) are
ordinary queries over these. `nvtx_paths` adds the NVTX ranges that a thread is in then.
"""
