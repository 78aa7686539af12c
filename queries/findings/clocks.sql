-- The GPU's clock drops: GPU metrics show it, or all kernels slow down by the same factor.
--
-- With metrics: the median clock while SMs are active is at least 1.1 times as high in the first third of the part as in the
-- last, with three samples in each, and a kernel gets slower. Without: at least two kernels with 20 launches in the same
-- number of blocks, the medians and shortest tenths of all grow by a factor of at least 1.1, the medians equally within 10 %.
-- The time beyond the first third's median is the bound. Causes: a power or thermal limit, or another program on the GPU.
-- Kernels that grow by over a quarter, early and late in the part, have more work; a GPU that waits lowers its clock, too.
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
        6 * (work.start_ns - part.start_ns) // (part.end_ns - part.start_ns) AS sixth
    FROM _part_activity AS work
    INNER JOIN part ON work.part_id = part.part_id
    INNER JOIN _kernel_ids AS kernel ON work.row_id = kernel.row_id
    WHERE work.kind = 'kernel' AND NOT work.is_communication AND part.kind IN ('series', 'rest', 'work')
),

shape AS (
    SELECT
        run.part_id,
        run.name_id,
        quantile_cont(run.dur_ns, [0.1, 0.5]) FILTER (WHERE run.sixth < 2) AS first_ns,
        quantile_cont(run.dur_ns, [0.1, 0.5]) FILTER (WHERE run.sixth >= 4) AS last_ns,
        last_ns[2] / first_ns[2] AS ratio,
        median(run.dur_ns) FILTER (WHERE run.sixth = 1) - median(run.dur_ns) FILTER (WHERE run.sixth = 0) AS early_ns,
        median(run.dur_ns) FILTER (WHERE run.sixth >= 5) - median(run.dur_ns) FILTER (WHERE run.sixth = 4) AS late_ns,
        ratio > TREND_RATIO AND least(early_ns, late_ns) > (last_ns[2] - first_ns[2]) / 8 AS is_growing,
        if(ratio >= CLOCK_RATIO, greatest(sum(run.dur_ns) - count(*) * first_ns[2], 0), 0) AS slower_ns
    FROM run
    GROUP BY run.part_id, run.name_id, run.block_count
    HAVING count(*) >= SKEW_COUNT
),

slowed AS (
    SELECT
        shape.part_id,
        sum(shape.slower_ns) AS slower_ns,
        count(DISTINCT shape.name_id) AS kernel_count,
        median(shape.ratio) AS ratio,
        kernel_count >= CLOCK_KERNELS AND min(least(shape.ratio, shape.last_ns[1] / shape.first_ns[1])) >= CLOCK_RATIO
        AND max(shape.ratio) <= 1.1 * min(shape.ratio) AND NOT bool_and(coalesce(shape.is_growing, false)) AS is_alike
    FROM shape
    GROUP BY shape.part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'clock' AS subject,
    slowed.slower_ns::BIGINT AS total_ns,
    slowed.slower_ns::BIGINT AS saves_ns,
    'at most' AS bound,
    CASE WHEN clock.part_id IS NULL THEN 'possible' ELSE 'likely' END AS certainty,
    false AS once,
    NULL::VARCHAR AS claims,
    slowed.kernel_count,
    100 * (slowed.ratio - 1) AS slower_pct,
    (clock.first_hz / 1e6)::BIGINT AS first_mhz,
    (clock.last_hz / 1e6)::BIGINT AS last_mhz
FROM part
INNER JOIN slowed ON part.part_id = slowed.part_id
LEFT JOIN _part_clock AS clock ON part.part_id = clock.part_id
WHERE slowed.slower_ns > 0 AND coalesce(clock.first_hz >= CLOCK_RATIO * clock.last_hz, slowed.is_alike)
ORDER BY part.part_id
