-- Correlation ids that several launch calls of a process share.
--
-- Needs  _api_call_ids, _gpu_work_ids
-- Columns
--     process_id      BIGINT  -- Process (globalPid).
--     correlation_id  BIGINT  -- Correlation id.
SELECT
    process_of(thread_id) AS process_id,
    correlation_id
FROM _launched_work
GROUP BY process_id, correlation_id
HAVING min(row_id) < max(row_id)
