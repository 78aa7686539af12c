-- System calls, with their names as ids of `string`.
--
-- Needs  SYSCALL
-- Columns
--     os_call: row_id, start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid, name_id
SELECT
    rowid AS row_id,
    unnest(thread_times(start, "end", globalTid)) AS called,
    nameId AS name_id
FROM raw.SYSCALL
