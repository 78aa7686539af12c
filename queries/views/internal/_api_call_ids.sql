-- CUDA API calls on the CPU, runtime and driver, with their names as ids of `string`.
--
-- For queries that aggregate before joining the text; `api_call` has the name.
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
-- Columns
--     os_call: row_id, start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid
--     correlation_id  BIGINT  -- Shared with the GPU work that it launched, in this process.
--     name_id         BIGINT  -- Name, with version suffix.
--     return_value    BIGINT  -- CUDA's result code; 0 is success.
--     callchain_id    BIGINT  -- Call chain, where recorded.
SELECT
    rowid AS row_id,
    start AS start_ns,
    "end" AS end_ns,
    "end" - start AS dur_ns,
    globalTid AS thread_id,
    process_of(globalTid) AS process_id,
    pid_of(globalTid) AS pid,
    tid_of(globalTid) AS tid,
    correlationId AS correlation_id,
    nameId AS name_id,
    returnValue AS return_value,
    callchainId AS callchain_id
FROM raw.CUPTI_ACTIVITY_KIND_RUNTIME
