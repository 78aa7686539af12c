-- An OS runtime call of a thread: read, poll, pthread_cond_wait and the like.
--
-- Calls that began before or ended after the capture have no length and are left out (classes 31 and 32).
-- Needs  OSRT_API
-- Columns
--     row_id         BIGINT   -- Position in the export's table.
--     start_ns       BIGINT   -- Start of the call.
--     end_ns         BIGINT   -- Return of the call.
--     dur_ns         BIGINT   -- Duration.
--     thread_id      BIGINT   -- Thread (globalTid).
--     process_id     BIGINT   -- Process (globalPid).
--     pid            BIGINT   -- The operating system's process number.
--     tid            BIGINT   -- The operating system's thread number.
--     nesting_level  BIGINT   -- Depth among OS calls of the thread.
--     name_id        BIGINT   -- Name, as a number of `string`.
--     name           VARCHAR  -- Name.
--     callchain_id   BIGINT   -- Call chain; 0 if none.
SELECT
    call.rowid AS row_id,
    call.start AS start_ns,
    call."end" AS end_ns,
    call."end" - call.start AS dur_ns,
    call.globalTid AS thread_id,
    call.globalTid & ~16777215 AS process_id,
    (call.globalTid >> 24) & 16777215 AS pid,
    call.globalTid & 16777215 AS tid,
    call.nestingLevel AS nesting_level,
    call.nameId AS name_id,
    string.text AS name,
    call.callchainId AS callchain_id
FROM raw.OSRT_API AS call
LEFT JOIN string ON call.nameId = string.id
WHERE call.eventClass = 27
