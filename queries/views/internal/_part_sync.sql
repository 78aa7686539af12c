-- Blocking calls of a part with the idle time that follows them, and which advice they are about.
--
-- Without the calls no more is saved than the idle time after them, and than the time in them.
-- Needs  _api_call_ids, _idle_gap
-- Engine  table
-- Columns
--     part_id       BIGINT   -- The part.
--     gpu_id        BIGINT   -- Physical GPU.
--     name          VARCHAR  -- The call with most time.
--     code          VARCHAR  -- sync-for-value, sync-each-launch or sync-per-step.
--     call_count    BIGINT   -- Blocking calls.
--     value_count   BIGINT   -- Those that wait for a copy of at most 64 bytes.
--     launch_count  BIGINT   -- Launches.
--     call_ns       BIGINT   -- Time in them.
--     idle_ns       BIGINT   -- Idle time after them.
--     nvtx_path     VARCHAR  -- Where most of it is.
WITH call AS (
    SELECT
        part_id,
        gpu_id,
        arg_max(name, total_ns) FILTER (WHERE cause = 'sync') AS name,
        coalesce(sum(count) FILTER (WHERE cause = 'sync'), 0) AS call_count,
        coalesce(sum(value_count) FILTER (WHERE cause = 'sync'), 0) AS value_count,
        coalesce(sum(count) FILTER (WHERE cause = 'launch'), 0) AS launch_count,
        coalesce(sum(total_ns) FILTER (WHERE cause = 'sync'), 0) AS call_ns,
        coalesce(max(step_count) FILTER (WHERE cause = 'sync'), 0) AS step_count
    FROM part_call
    GROUP BY part_id, gpu_id
),

idle AS (
    SELECT
        part_id,
        sum(idle_ns) AS idle_ns,
        arg_max(nvtx_path, idle_ns) AS nvtx_path
    FROM part_idle
    WHERE claim = 'sync'
    GROUP BY part_id
)

SELECT
    call.part_id,
    call.gpu_id,
    call.name,
    CASE
        WHEN 2 * call.value_count > call.call_count THEN 'sync-for-value'
        WHEN call.call_count >= 0.8 * call.launch_count THEN 'sync-each-launch'
        ELSE 'sync-per-step'
    END AS code,
    call.call_count::BIGINT AS call_count,
    call.value_count::BIGINT AS value_count,
    call.launch_count::BIGINT AS launch_count,
    call.call_ns::BIGINT AS call_ns,
    idle.idle_ns::BIGINT AS idle_ns,
    idle.nvtx_path
FROM call
INNER JOIN idle ON call.part_id = idle.part_id
INNER JOIN part ON call.part_id = part.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND call.call_count >= 10
    AND (part.step_count IS NULL OR 2 * call.step_count >= part.step_count)
