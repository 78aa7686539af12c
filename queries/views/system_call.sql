-- System calls, with their names as ids of `string`.
--
-- Needs  SYSCALL
-- Columns
--     os_call: row_id, start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid, name_id
SELECT
    rowid AS row_id,
    start AS start_ns,
    "end" AS end_ns,
    "end" - start AS dur_ns,
    globalTid AS thread_id,
    process_of(globalTid) AS process_id,
    pid_of(globalTid) AS pid,
    tid_of(globalTid) AS tid,
    nameId AS name_id
FROM raw.SYSCALL
