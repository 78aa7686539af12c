-- CUDA API calls on the CPU: runtime and driver.
--
-- Needs  _api_call_ids
-- Columns
--     _api_call_ids: row_id, start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid, correlation_id, name_id
--     _api_call_ids: return_value, callchain_id
--     name  VARCHAR  -- Name, shortened as `nsys stats` does.
SELECT
    _api_call_ids.*,
    _api_name.name
FROM _api_call_ids
LEFT JOIN _api_name ON _api_call_ids.name_id = _api_name.id
