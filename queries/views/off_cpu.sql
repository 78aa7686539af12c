-- Intervals in which a thread was off the CPU.
--
-- Events without a counterpart, lost at the border of the capture or within it, are ignored.
-- Needs  SCHED_EVENTS
-- Columns
--     _off_cpu_cause: row_id, start_ns, end_ns
--     usual: dur_ns, thread_id
WITH event AS (
    SELECT
        rowid AS row_id,
        start AS start_ns,
        isSchedIn AS is_in,
        globalTid AS thread_id,
        lead(start) OVER thread AS next_ns,
        lead(isSchedIn) OVER thread AS next_is_in
    FROM raw.SCHED_EVENTS
    WINDOW thread AS (PARTITION BY globalTid ORDER BY start ASC, isSchedIn DESC, rowid ASC)
)

SELECT
    row_id,
    start_ns,
    next_ns AS end_ns,
    next_ns - start_ns AS dur_ns,
    thread_id
FROM event
WHERE is_in = 0 AND next_is_in = 1
