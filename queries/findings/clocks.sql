-- All kernels become slower by the same factor: the GPU's clock falls.
--
-- At least three kernels with 20 launches each in one shape, each at least 10 % slower in the last third of the part than in
-- the first, and alike within a tenth. A power or thermal limit, or another program on the GPU.
-- Needs  _kernel_ids
-- Finding
--     says  {kernel_count} kernels all become {slower_pct} % slower over the part: the GPU's clock probably falls.
--     do  Look at power and temperature (nvidia-smi -q -d PERFORMANCE), record --gpu-metrics-devices=all, lock the clocks to compare.
-- Columns
--     kernel_count  BIGINT  -- Kernels.
--     slower_pct    DOUBLE  -- By how much, the median of them.
WITH run AS (
    SELECT
        work.part_id,
        kernel.name_id,
        kernel.grid_x * kernel.grid_y * kernel.grid_z AS block_count,
        work.end_ns - work.start_ns AS dur_ns,
        (work.start_ns - part.start_ns) / (part.end_ns - part.start_ns) AS place
    FROM part
    INNER JOIN _part_activity AS work ON part.part_id = work.part_id
    INNER JOIN _kernel_ids AS kernel ON work.row_id = kernel.row_id
    WHERE work.kind = 'kernel' AND NOT work.is_communication AND part.kind IN ('series', 'rest', 'work')
),

shape AS (
    SELECT
        run.part_id,
        run.name_id,
        median(run.dur_ns) FILTER (WHERE 3 * run.place >= 2)
        / nullif(median(run.dur_ns) FILTER (WHERE 3 * run.place < 1), 0)
            AS ratio,
        sum(run.dur_ns) AS total_ns
    FROM run
    CROSS JOIN thresholds AS least
    GROUP BY run.part_id, run.name_id, run.block_count, least.skew_count
    HAVING count(*) >= least.skew_count
)

SELECT
    part.part_id,
    part.gpu_id,
    'clock' AS subject,
    sum(shape.total_ns)::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'possible' AS certainty,
    false AS once,
    NULL::VARCHAR AS claims,
    count(DISTINCT shape.name_id) AS kernel_count,
    100 * (median(shape.ratio) - 1) AS slower_pct
FROM part
CROSS JOIN thresholds AS least
INNER JOIN shape ON part.part_id = shape.part_id
GROUP BY part.part_id, part.gpu_id, least.clock_kernels, least.clock_ratio
HAVING
    count(DISTINCT shape.name_id) >= least.clock_kernels
    AND min(shape.ratio) >= least.clock_ratio
    AND max(shape.ratio) <= 1.1 * min(shape.ratio)
ORDER BY part.part_id
