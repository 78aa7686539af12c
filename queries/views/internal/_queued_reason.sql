-- Work that is queued in a part, or waits inside a CUDA graph, for no recorded reason, with a possible reason.
--
-- Over 5 % of the part. If there are several, the first of these has it, so that its time counts once: mapped resources
-- of graphics, at least ten host functions (in steps three), other processes on the GPU. Inside graphs: gaps of 20 us on
-- average.
-- Needs  _idle_gap
-- Engine  table
-- Columns
--     usual: part_id, gpu_id
--     idle_ns    BIGINT   -- Idle time.
--     gap_count  BIGINT   -- Gaps.
--     code       VARCHAR  -- The rule that it is for.
--     subject    VARCHAR  -- The call with most time, or the number of processes.
--     count      BIGINT   -- Calls, or processes.
--     is_graph   BOOLEAN  -- It is inside CUDA graphs, whose host functions are not recorded.
WITH queued AS (
    SELECT
        part.part_id,
        part.gpu_id,
        sum(idle.idle_ns)::BIGINT AS idle_ns,
        sum(idle.gap_count)::BIGINT AS gap_count
    FROM part
    INNER JOIN part_idle AS idle ON part.part_id = idle.part_id
    WHERE idle.cause = 'queued_unexplained' AND part.kind IN ('series', 'rest', 'work')
    GROUP BY part.part_id, part.gpu_id, part.length_ns
    HAVING sum(idle.idle_ns) > QUEUED_SHARE * part.length_ns
),

beside AS (
    SELECT
        call.part_id,
        kind.code,
        kind.place,
        arg_max(call.name, row(call.total_ns, call.name)) AS subject,
        sum(call.count)::BIGINT AS count
    FROM part_call AS call
    INNER JOIN part ON call.part_id = part.part_id
    INNER JOIN (
        VALUES
        (1, 'graphics-interop', 'Graphics.*(Map|Unmap)|(Map|Unmap)Resources|ExternalSemaphoresAsync'),
        (2, 'host-functions', '^cu(da)?(LaunchHostFunc|StreamAddCallback)')
    ) AS kind (place, code, pattern) ON regexp_matches(call.name, kind.pattern)
    GROUP BY call.part_id, kind.code, kind.place, part.kind
    HAVING
        kind.code <> 'host-functions'
        OR sum(call.count) >= CASE WHEN part.kind = 'series' THEN RECURRING_COUNT ELSE SYNC_COUNT END
    UNION ALL
    SELECT
        queued.part_id,
        'mps-or-other-process' AS code,
        3 AS place,
        count(DISTINCT process.process_id) || ' processes' AS subject,
        count(DISTINCT process.process_id) AS count
    FROM queued
    INNER JOIN _gpu_process AS process ON queued.gpu_id IS NOT DISTINCT FROM process.gpu_id
    GROUP BY queued.part_id
    HAVING count(DISTINCT process.process_id) > 1
)

SELECT
    queued.*,
    beside.code,
    beside.subject,
    beside.count,
    false AS is_graph
FROM queued
INNER JOIN beside ON queued.part_id = beside.part_id
QUALIFY beside.place = min(beside.place) OVER (PARTITION BY queued.part_id)
UNION ALL
SELECT
    part.part_id,
    part.gpu_id,
    sum(idle.idle_ns)::BIGINT AS idle_ns,
    sum(idle.gap_count)::BIGINT AS gap_count,
    'host-functions' AS code,
    'CUDA graphs' AS subject,
    0 AS count,
    true AS is_graph
FROM part
INNER JOIN part_idle AS idle ON part.part_id = idle.part_id
WHERE idle.cause = 'graph_dependency' AND part.kind IN ('series', 'rest', 'work')
GROUP BY part.part_id, part.gpu_id, part.length_ns
HAVING sum(idle.idle_ns) > greatest(QUEUED_SHARE * part.length_ns, GRAPH_GAP_NS * sum(idle.gap_count))
