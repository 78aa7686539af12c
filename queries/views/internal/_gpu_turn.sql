-- Parts in which the GPUs of a process, or those that communicate, take turns: mostly at most one of them computes.
--
-- Kernels and CUDA graphs compute, communication kernels do not: in a pipeline they wait for the other GPU. Of GPUs of
-- several processes only those count that run nothing but communication kernels for a tenth of their window; of all
-- GPUs only those with a tenth of the time in which exactly one computes. There are at least ten changes, or one a
-- step, and several compute at once for less than a fifth of what chance gives.
-- Needs  _gpu_work_ids
-- Engine  table if (SELECT count(DISTINCT gpu_id) FROM part) > 1
-- Columns
--     usual: part_id, gpu_id
--     gpu_count   BIGINT  -- GPUs that take turns.
--     one_ns      BIGINT  -- Time in which exactly one of them computes.
--     several_ns  BIGINT  -- Time in which several do.
--     none_ns     BIGINT  -- Time in which none does.
WITH sent AS (
    SELECT work.gpu_id
    FROM _part_activity AS work
    INNER JOIN part ON work.part_id = part.part_id
    WHERE work.is_communication
    GROUP BY work.gpu_id
    HAVING sum(work.alone_ns) > TURN_SHARE * any_value(part.window_ns)
),

used AS (
    SELECT DISTINCT
        part.gpu_id,
        CASE WHEN sent.gpu_id IS NULL THEN part.process_id ELSE 0 END AS group_id
    FROM part
    LEFT JOIN sent ON part.gpu_id = sent.gpu_id
    WHERE part.gpu_id IS NOT NULL
    QUALIFY count(DISTINCT part.gpu_id) OVER (PARTITION BY group_id) > 1
),

point AS (
    SELECT
        used.group_id,
        used.gpu_id,
        busy.start_ns AS ns,
        1 AS change
    FROM _gpu_busy_interval AS busy
    INNER JOIN used ON busy.gpu_id = used.gpu_id
    WHERE busy.class = 'computing'
    UNION ALL
    SELECT
        used.group_id,
        used.gpu_id,
        busy.end_ns AS ns,
        -1 AS change
    FROM _gpu_busy_interval AS busy
    INNER JOIN used ON busy.gpu_id = used.gpu_id
    WHERE busy.class = 'computing'
),

swept AS (
    SELECT
        group_id,
        ns AS start_ns,
        lead(ns) OVER in_time AS end_ns,
        sum(change) OVER in_time AS gpu_count,
        sum(change * gpu_id) OVER in_time AS gpu_id  -- if one computes
    FROM point
    WINDOW in_time AS (PARTITION BY group_id ORDER BY ns ASC, change ASC, gpu_id ASC)
),

placed AS (
    SELECT
        part.part_id,
        swept.gpu_count,
        swept.gpu_id,
        least(swept.end_ns, span.end_ns) - greatest(swept.start_ns, span.start_ns) AS dur_ns,
        swept.gpu_count = 1 AND swept.gpu_id <> lag(swept.gpu_id) OVER (
            PARTITION BY part.part_id, swept.gpu_count = 1 ORDER BY swept.start_ns
        ) AS is_turn
    FROM part
    INNER JOIN _part_span AS span ON part.part_id = span.part_id
    INNER JOIN used ON part.gpu_id = used.gpu_id
    INNER JOIN swept
        ON
            used.group_id = swept.group_id
            AND swept.start_ns < span.end_ns
            AND swept.end_ns > span.start_ns
    WHERE part.kind IN ('series', 'rest', 'work') AND swept.gpu_count > 0 AND swept.end_ns > swept.start_ns
),

of_gpu AS (
    SELECT
        part_id,
        CASE WHEN gpu_count = 1 THEN gpu_id END AS gpu_id,
        sum(dur_ns) AS dur_ns,
        count(*) FILTER (WHERE is_turn) AS turn_count
    FROM placed
    GROUP BY ALL
),

shared AS (
    SELECT
        part_id,
        gpu_id,
        dur_ns,
        turn_count,
        sum(CASE WHEN gpu_id IS NOT NULL THEN dur_ns END) OVER (PARTITION BY part_id) AS one_ns
    FROM of_gpu
),

summed AS (
    SELECT
        part_id,
        any_value(one_ns) AS one_ns,
        coalesce(sum(dur_ns) FILTER (WHERE gpu_id IS NULL), 0) AS several_ns,
        count(*) FILTER (WHERE gpu_id IS NOT NULL AND dur_ns >= TURN_SHARE * one_ns) AS gpu_count,
        sum(shared.turn_count) AS turn_count,
        (any_value(one_ns) ** 2 - sum(dur_ns ** 2) FILTER (WHERE gpu_id IS NOT NULL)) / 2 AS chance
    FROM shared
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    summed.gpu_count,
    summed.one_ns::BIGINT AS one_ns,
    summed.several_ns::BIGINT AS several_ns,
    (part.length_ns - summed.one_ns - summed.several_ns)::BIGINT AS none_ns
FROM part
INNER JOIN summed ON part.part_id = summed.part_id
WHERE
    summed.gpu_count > 1
    AND summed.turn_count >= least(TURN_COUNT, part.step_count)
    AND summed.several_ns * part.length_ns < TURN_OVERLAP * summed.chance
