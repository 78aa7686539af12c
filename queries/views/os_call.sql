-- An OS runtime call of a thread: read, poll, pthread_cond_wait and the like.
--
-- Calls that began before or ended after the capture have no length and are left out.
-- Needs  os_call_record
-- Columns
--     name  VARCHAR  -- Name.
SELECT
    os_call_record.*,
    string.text AS name
FROM os_call_record
LEFT JOIN string ON os_call_record.name_id = string.id
