-- OS runtime calls: read, poll, pthread_cond_wait and the like.
--
-- Calls that began before or ended after the capture have no length and are left out.
-- Needs  _os_call_ids
-- Columns
--     _os_call_ids: row_id, start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid, nesting_level, name_id
--     _os_call_ids: callchain_id
--     name  VARCHAR  -- Name.
SELECT
    _os_call_ids.*,
    string.text AS name
FROM _os_call_ids
LEFT JOIN string ON _os_call_ids.name_id = string.id
