-- Blocking calls that wait for a small value.
--
-- After it the GPU is idle until the host has launched again. Without the calls about that idle time is saved, or the time
-- in them if it is less; a replay says more exactly what.
-- Needs  _idle_gap, _api_call_ids
-- Finding
--     says  {value_count} of {call_count} blocking calls ({subject}) wait for a copy of at most 64 bytes; after them the GPU is idle for {total_ns} until the host has launched again.
--     do  Keep the value on the GPU or make it there (device=...), or read it every n steps.
-- Columns
--     call_count    BIGINT   -- Blocking calls.
--     value_count   BIGINT   -- Those that wait for a small copy.
--     launch_count  BIGINT   -- Calls that queue kernels, copies and memsets.
--     is_copy       BOOLEAN  -- The subject is a call that copies.
SELECT
    sync.part_id,
    sync.gpu_id,
    sync.name AS subject,
    sync.idle_ns::BIGINT AS total_ns,
    (least(sync.idle_ns, sync.call_ns))::BIGINT AS saves_ns,
    CASE WHEN sync.code LIKE '%value' THEN 'about' ELSE 'at most' END AS bound,  -- the only ones that are never needed
    'likely' AS certainty,
    false AS once,
    'sync' AS claims,
    sync.call_count,
    sync.value_count,
    sync.launch_count,
    contains(lower(sync.name), 'memcpy') AS is_copy
FROM _part_sync AS sync
WHERE sync.code = 'sync-for-value'
ORDER BY sync.part_id
