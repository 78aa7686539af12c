-- Many small copies in a row.
--
-- Over 100 copies below 64 kB, or at least three a step, with a mean below 10 us that directly follow a copy in the same
-- direction on their stream. Batching saves about 3 us of each, plus the short gaps before them, in which pageable memory is
-- staged and calls return, too, unless the part is launch-bound.
-- Needs  memcpy
-- Finding
--     says if idle_ns  {count} copies of less than 64 kB: {total_ns}, and the GPU is idle for {idle_ns} in short gaps before them.
--     says  {count} copies of less than 64 kB: {total_ns}.
--     do  Batch them into one copy.
-- Columns
--     count    BIGINT  -- Copies.
--     idle_ns  BIGINT  -- Short gaps before those that follow another.
WITH gap AS (
    SELECT
        idle.part_id,
        sum(idle.idle_ns) AS idle_ns
    FROM part_idle AS idle
    LEFT JOIN _launch_bound AS bound ON idle.part_id = bound.part_id
    WHERE
        idle.claim IN ('short', 'sync', 'staging') AND NOT idle.is_long AND idle.next_kind = 'memcpy'
        AND bound.part_id IS NULL
        AND idle.cause IN (
            'host_code', 'launch_call', 'launch_latency', 'other_cuda_api', 'pageable_copy', 'sync_return'
        )
    GROUP BY idle.part_id
),

small AS (
    SELECT
        copy.part_id,
        copy.gpu_id,
        sum(copy.total_ns) AS total_ns,
        sum(copy.count) AS count,
        least(SMALL_COPY_COUNT, RECURRING_COUNT * any_value(copy.steps) - 1) AS least_count,
        least(COPY_OVERHEAD_NS * sum(copy.count), sum(copy.exposed_ns)) AS overhead_ns
    FROM _judged_copy AS copy
    WHERE
        copy.bytes < SMALL_COPY_BYTES AND NOT copy.is_migration
        AND copy.direction IN ('Host-to-Device', 'Device-to-Host', 'Device-to-Device', 'Peer-to-Peer')
    GROUP BY copy.part_id, copy.gpu_id
    HAVING sum(copy.count) > least_count AND sum(copy.total_ns) < SMALL_COPY_NS * sum(copy.count)
),

following AS (
    SELECT
        part_id,
        count(*) FILTER (WHERE kind = 'memcpy') AS count,
        (count(*) FILTER (WHERE is_after)) / count(*) FILTER (WHERE kind = 'memcpy') AS share
    FROM (
        SELECT
            work.part_id,
            work.kind,
            work.kind = 'memcpy' AND row(work.kind, work.detail_id) = lag(row(work.kind, work.detail_id)) OVER (
                PARTITION BY work.part_id, work.process_id, work.stream_id ORDER BY work.start_ns, work.row_id
            ) AS is_after
        FROM _part_activity AS work
        SEMI JOIN small ON work.part_id = small.part_id
    ) AS run
    GROUP BY part_id
)

SELECT
    small.part_id,
    small.gpu_id,
    'small copies' AS subject,
    small.total_ns::BIGINT AS total_ns,
    (following.share * (small.overhead_ns + coalesce(gap.idle_ns * small.count / following.count, 0)))::BIGINT
        AS saves_ns,
    'about' AS bound,
    'likely' AS certainty,
    false AS once,
    'copy' AS claims,
    small.count::BIGINT AS count,
    (following.share * gap.idle_ns * small.count / following.count)::BIGINT AS idle_ns
FROM small
INNER JOIN following ON small.part_id = following.part_id
LEFT JOIN gap ON small.part_id = gap.part_id
WHERE small.count * following.share > small.least_count
ORDER BY small.part_id
