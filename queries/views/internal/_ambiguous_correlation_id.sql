-- Correlation ids that several launch calls of a process share.
--
-- Needs  _api_call_ids, _gpu_work_ids
SELECT
    process_of(thread_id) AS process_id,
    correlation_id
FROM _launched_work
GROUP BY process_id, correlation_id
HAVING min(row_id) < max(row_id)
