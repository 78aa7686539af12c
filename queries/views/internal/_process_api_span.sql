-- Processes that called CUDA: number of calls, first start and last end.
--
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
-- Engine  table
-- Columns
--     process_id  BIGINT  -- Process (globalPid).
--     calls       BIGINT  -- CUDA API calls.
--     start_ns    BIGINT  -- Start of the first.
--     end_ns      BIGINT  -- Return of the last.
SELECT
    process_id,
    count(*) AS calls,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns
FROM _api_call_ids
GROUP BY process_id
