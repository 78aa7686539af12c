-- A correlation id that several API calls of a process share, each of which launched GPU work.
--
-- Needs  api_call_record, gpu_work_record
-- Columns
--     process_id      BIGINT  -- Process (globalPid).
--     correlation_id  BIGINT  -- Correlation id.
SELECT
    thread_id & ~16777215 AS process_id,
    correlation_id
FROM nvtx_launched_work
GROUP BY
    process_id,
    correlation_id
HAVING min(row_id) < max(row_id)
