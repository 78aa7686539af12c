-- CUDA API calls, regardless of the time filter.
--
-- For work that runs in that time: its call may be over before the time begins.
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
-- Columns
--     row_id          BIGINT   -- Position in the export's table.
--     start_ns        BIGINT   -- Start of the call.
--     end_ns          BIGINT   -- Return of the call.
--     thread_id       BIGINT   -- Thread (globalTid).
--     process_id      BIGINT   -- Process (globalPid).
--     tid             BIGINT   -- The operating system's thread number.
--     correlation_id  BIGINT   -- Shared with the GPU work that it launched, in this process.
--     name            VARCHAR  -- Name, shortened as `nsys stats` does.
SELECT
    call.rowid AS row_id,
    call.start AS start_ns,
    call."end" AS end_ns,
    call.globalTid AS thread_id,
    process_of(call.globalTid) AS process_id,
    tid_of(call.globalTid) AS tid,
    call.correlationId AS correlation_id,
    _api_name.name
FROM unfiltered.CUPTI_ACTIVITY_KIND_RUNTIME AS call
LEFT JOIN _api_name ON call.nameId = _api_name.id
