-- A process that called CUDA: how often, and from when to when.
--
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
-- Kept  as a table: small, and several questions of one page ask for it
-- Columns
--     process_id  BIGINT  -- Process (globalPid).
--     calls       BIGINT  -- CUDA API calls.
--     start_ns    BIGINT  -- Start of the first.
--     end_ns      BIGINT  -- Return of the last.
SELECT
    thread_id & ~16777215 AS process_id,
    count(*) AS calls,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns
FROM call_time
GROUP BY process_id
