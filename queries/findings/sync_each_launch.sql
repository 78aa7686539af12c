-- Blocking call after each launch.
--
-- After it the GPU is idle until the host has launched again. Without the calls at most that idle time is saved, and at
-- most the time in them. Long host code after them is host-code's.
-- Needs  _idle_gap, _api_call_ids
-- Finding
--     says  {call_count} calls of {subject} for {launch_count} launches; after them the GPU is idle for {total_ns} until the host has launched again.
--     do  Work on a stream already runs in order: remove it between launches and keep one before the host reads results.
-- Columns
--     call_count    BIGINT   -- Blocking calls.
--     value_count   BIGINT   -- Those that wait for a small copy.
--     launch_count  BIGINT   -- Launches.
SELECT
    sync.part_id,
    sync.gpu_id,
    sync.name AS subject,
    sync.idle_ns::BIGINT AS total_ns,
    (least(sync.idle_ns, sync.call_ns))::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'sync' AS claims,
    sync.call_count,
    sync.value_count,
    sync.launch_count
FROM _part_sync AS sync
WHERE sync.code = 'sync-each-launch'
ORDER BY sync.part_id
