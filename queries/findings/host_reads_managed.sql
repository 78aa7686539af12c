-- The host reads unified memory page by page, in the loop or after the last kernel.
--
-- In the loop: migrations to the host while no kernel runs, unless the program prefetched them, and the short gaps before
-- copies if the part has many, and most are migrations. After the last kernel the GPU's work is over: only later host code
-- waits for it.
-- Needs  _idle_gap, memcpy
-- Finding
--     says  The host reads managed memory page by page: {total_ns} in {gap_count} intervals.
--     do  Call cudaMemPrefetchAsync to the host before it reads.
-- Columns
--     gap_count  BIGINT   -- Gaps, or migrations.
WITH page AS (
    SELECT
        part_id,
        sum(exposed_ns) AS ns,
        sum(count) AS count
    FROM _judged_copy
    WHERE is_migration AND NOT is_prefetch AND exposed_ns > 0 AND direction LIKE '%Device-to-Host'
    GROUP BY part_id
),

short AS (
    SELECT
        idle.part_id,
        sum(idle.idle_ns) AS ns
    FROM part_idle AS idle
    INNER JOIN _part_work AS work ON idle.part_id = work.part_id
    WHERE
        work.has_small_copies AND work.is_migrating AND idle.next_kind = 'memcpy'
        AND idle.claim = 'short' AND is_host_work(idle.cause)
    GROUP BY idle.part_id
),

read AS (
    SELECT
        page.part_id,
        page.ns + coalesce(short.ns, 0) AS ns,
        page.count,
        false AS once
    FROM page
    LEFT JOIN short ON page.part_id = short.part_id
    UNION ALL
    SELECT
        part_id,
        sum(end_ns - start_ns) AS ns,
        count(*) AS count,
        true AS once
    FROM _part_gap
    WHERE is_after_work
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'unified memory' AS subject,
    read.ns::BIGINT AS total_ns,
    read.ns::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    read.once,
    'managed' AS claims,
    read.count::BIGINT AS gap_count
FROM part
INNER JOIN read ON part.part_id = read.part_id
ORDER BY part.part_id
