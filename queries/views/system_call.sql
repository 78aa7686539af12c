-- System calls, with their names as ids of `string`.
--
-- Needs  SYSCALL
-- Columns
--     row_id      BIGINT   -- Position in the export's table.
--     start_ns    BIGINT   -- Start of the call.
--     end_ns      BIGINT   -- Return of the call.
--     usual: dur_ns, thread_id, process_id, pid, tid, name_id
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
