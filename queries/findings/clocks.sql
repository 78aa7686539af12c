-- The GPU's clock drops: GPU metrics show it, or all kernels slow down by the same factor.
--
-- With metrics: the median clock while SMs are active is at least 1.1 times as high in the first third of the part as in the
-- last, with three samples in each. Without: at least two kernels have 20 launches with the same number of blocks, and the
-- medians and shortest tenths of all such kernels grow by a factor of at least 1.1, the medians equally within 10 %; the time
-- beyond the first third's median is the bound. Causes: a power or thermal limit, or another program on the GPU.
-- Needs  _kernel_ids
-- Finding
--     says if last_mhz  The GPU's clock drops from {first_mhz} to {last_mhz} MHz over the part.
--     says  {kernel_count} kernels all become {slower_pct}% slower over the part: the GPU's clock probably drops.
--     do  Check power and temperature (nvidia-smi -q -d PERFORMANCE), record with --gpu-metrics-devices=all, and lock the clocks for comparisons.
-- Columns
--     kernel_count  BIGINT  -- Kernels.
--     slower_pct    DOUBLE  -- Median slowdown.
--     first_mhz     BIGINT  -- Clock in the first third of the part; NULL without metrics.
--     last_mhz      BIGINT  -- Clock in the last third.
WITH run AS (
    SELECT
        work.part_id,
        kernel.name_id,
        kernel.grid_x * kernel.grid_y * kernel.grid_z AS block_count,
        work.end_ns - work.start_ns AS dur_ns,
        3 * (work.start_ns - part.start_ns) // (part.end_ns - part.start_ns) AS third
    FROM _part_activity AS work
    INNER JOIN part ON work.part_id = part.part_id
    INNER JOIN _kernel_ids AS kernel ON work.row_id = kernel.row_id
    WHERE work.kind = 'kernel' AND NOT work.is_communication AND part.kind IN ('series', 'rest', 'work')
),

shape AS (
    SELECT
        run.part_id,
        run.name_id,
        quantile_cont(run.dur_ns, [0.1, 0.5]) FILTER (WHERE run.third = 0) AS first_ns,
        quantile_cont(run.dur_ns, [0.1, 0.5]) FILTER (WHERE run.third >= 2) AS last_ns,
        last_ns[2] / first_ns[2] AS ratio,
        greatest(sum(run.dur_ns) - count(*) * first_ns[2], 0) AS slower_ns
    FROM run
    GROUP BY run.part_id, run.name_id, run.block_count
    HAVING count(*) >= SKEW_COUNT
),

alike AS (
    SELECT
        shape.part_id,
        sum(shape.slower_ns) AS slower_ns,
        count(DISTINCT shape.name_id) AS kernel_count,
        median(shape.ratio) AS ratio
    FROM shape
    GROUP BY shape.part_id
    HAVING
        count(DISTINCT shape.name_id) >= CLOCK_KERNELS
        AND min(least(shape.ratio, shape.last_ns[1] / shape.first_ns[1])) >= CLOCK_RATIO
        AND max(shape.ratio) <= 1.1 * min(shape.ratio)
)

SELECT
    part.part_id,
    part.gpu_id,
    'clock' AS subject,
    coalesce(alike.slower_ns, part.busy_ns)::BIGINT AS total_ns,
    alike.slower_ns::BIGINT AS saves_ns,
    CASE WHEN alike.part_id IS NULL THEN 'unknown' ELSE 'at most' END AS bound,
    CASE WHEN clock.part_id IS NULL THEN 'possible' ELSE 'likely' END AS certainty,
    false AS once,
    NULL::VARCHAR AS claims,
    alike.kernel_count,
    100 * (alike.ratio - 1) AS slower_pct,
    (clock.first_hz / 1e6)::BIGINT AS first_mhz,
    (clock.last_hz / 1e6)::BIGINT AS last_mhz
FROM part
LEFT JOIN alike ON part.part_id = alike.part_id
LEFT JOIN _part_clock AS clock ON part.part_id = clock.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND coalesce(clock.first_hz >= CLOCK_RATIO * clock.last_hz, alike.part_id IS NOT NULL)
ORDER BY part.part_id
