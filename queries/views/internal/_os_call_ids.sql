-- OS runtime calls, with their names as ids of `string`.
--
-- For queries that aggregate before joining the text; `os_call` has the name. Calls that began before or
-- ended after the capture have no length and are left out (classes 31 and 32).
-- Needs  OSRT_API
-- Columns
--     row_id         BIGINT   -- Position in the export's table.
--     start_ns       BIGINT   -- Start of the call.
--     end_ns         BIGINT   -- Return of the call.
--     usual: dur_ns, thread_id, process_id, pid, tid
--     nesting_level  BIGINT   -- Depth among OS calls of the thread.
--     name_id        BIGINT   -- Name.
--     callchain_id   BIGINT   -- Call chain; 0 if none.
SELECT
    rowid AS row_id,
    unnest(thread_times(start, "end", globalTid)) AS called,
    nestingLevel AS nesting_level,
    nameId AS name_id,
    callchainId AS callchain_id
FROM raw.OSRT_API
WHERE eventClass = 27
