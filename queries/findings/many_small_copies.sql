-- Many small copies.
--
-- Over 100 copies below 64 kB with a mean below 10 us. Batching saves about 3 us of each, plus the short gaps before them,
-- unless the part is launch-bound.
-- Needs  memcpy
-- Finding
--     says if idle_ns  {count} copies of less than 64 kB: {total_ns}, and the GPU is idle for {idle_ns} in short gaps before them.
--     says  {count} copies of less than 64 kB: {total_ns}.
--     do  Batch them into one copy.
-- Columns
--     count    BIGINT  -- Copies.
--     idle_ns  BIGINT  -- Short gaps before them.
WITH gap AS (
    SELECT
        idle.part_id,
        sum(idle.idle_ns) AS idle_ns
    FROM part_idle AS idle
    LEFT JOIN _launch_bound AS bound ON idle.part_id = bound.part_id
    WHERE
        idle.claim IN ('short', 'sync') AND NOT idle.is_long AND idle.next_kind = 'memcpy' AND bound.part_id IS NULL
        AND idle.cause IN ('host_code', 'launch_call', 'launch_latency', 'other_cuda_api')
    GROUP BY idle.part_id
),

number AS (
    SELECT
        part_id,
        sum(count) AS count
    FROM part_copy
    WHERE direction <> 'Memset'
    GROUP BY part_id
)

SELECT
    copy.part_id,
    copy.gpu_id,
    'small copies' AS subject,
    sum(copy.total_ns)::BIGINT AS total_ns,
    (
        least(any_value(least.copy_overhead_ns) * sum(copy.count), sum(copy.exposed_ns))
        + coalesce(any_value(gap.idle_ns), 0) * sum(copy.count) / any_value(number.count)
    )::BIGINT AS saves_ns,
    'about' AS bound,
    'likely' AS certainty,
    false AS once,
    'copy' AS claims,
    sum(copy.count)::BIGINT AS count,
    (any_value(gap.idle_ns) * sum(copy.count) / any_value(number.count))::BIGINT AS idle_ns
FROM _judged_copy AS copy
CROSS JOIN thresholds AS least
INNER JOIN number ON copy.part_id = number.part_id
LEFT JOIN gap ON copy.part_id = gap.part_id
WHERE
    copy.bytes < least.small_copy_bytes AND NOT copy.is_migration
    AND copy.direction IN ('Host-to-Device', 'Device-to-Host', 'Device-to-Device', 'Peer-to-Peer')
GROUP BY copy.part_id, copy.gpu_id, least.small_copy_count, least.small_copy_ns
HAVING sum(copy.count) > least.small_copy_count AND sum(copy.total_ns) < least.small_copy_ns * sum(copy.count)
ORDER BY copy.part_id
