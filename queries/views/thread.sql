-- Names of threads: every thread of the machine that the export names, profiled or not.
--
-- Needs  ThreadNames
-- Columns
--     usual: row_id, thread_id, process_id, pid, tid
--     name_id     BIGINT   -- The thread's name, as a number of `string`.
--     name        VARCHAR  -- The thread's name.
--     priority    BIGINT   -- Scheduling priority.
SELECT
    named.rowid AS row_id,
    unnest(thread_ids(named.globalTid)) AS ids,
    named.nameId AS name_id,
    string.text AS name,
    named.priority
FROM raw.ThreadNames AS named
LEFT JOIN string ON named.nameId = string.id
