-- Elementwise kernels in a row over the same data.
--
-- Over 5 % of the busy time in elementwise, copy, cast and optimizer kernels, some directly after each other on a stream:
-- each reads and writes all of its data. Fusing k of them leaves about 1 / k of their time, with k at most 8.
-- Kernels that need a result over all elements cannot be fused.
-- Needs  _kernel_ids
-- Finding
--     says if in_a_row  {count} elementwise kernels take {total_ns}; {in_a_row} in a row on average.
--     says  {count} elementwise kernels take {total_ns}.
--     do if is_torch  Fuse them: torch.compile, a fused optimizer (fused=True, foreach), jit.
--     do  Fuse them into one kernel that does all operations on each element, by hand or with a compiler (jit, XLA, cupy.fuse).
-- Columns
--     count       BIGINT   -- Launches.
--     in_a_row    BIGINT   -- How many follow each other on a stream, on average; NULL if fewer than 1.5.
--     is_torch    BOOLEAN  -- A Python program launches PyTorch's kernels.
WITH ordered AS (
    SELECT
        work.part_id,
        work.end_ns - work.start_ns AS dur_ns,
        work.alone_ns,
        known.name_id IS NOT NULL AS is_elementwise,
        coalesce(
            lag(known.name_id IS NOT NULL) OVER (
                PARTITION BY work.part_id, work.process_id, work.stream_id ORDER BY work.start_ns, work.row_id
            ), false
        ) AS is_after
    FROM _part_activity AS work
    LEFT JOIN _kernel_class AS known ON work.detail_id = known.name_id AND known.class = 'elementwise'
    WHERE work.kind = 'kernel'
),

summed AS (
    SELECT
        part_id,
        sum(dur_ns) FILTER (WHERE is_elementwise) AS total_ns,
        sum(alone_ns) FILTER (WHERE is_elementwise) AS alone_ns,
        count(*) FILTER (WHERE is_elementwise) AS count,
        count(*) FILTER (WHERE is_elementwise AND NOT is_after) AS runs
    FROM ordered
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'elementwise' AS subject,
    summed.total_ns::BIGINT AS total_ns,
    (summed.alone_ns * (1 - greatest(summed.runs / summed.count, 1 / least.fused_kernels)))::BIGINT AS saves_ns,
    'about' AS bound,
    'possible' AS certainty,
    false AS once,
    'elementwise' AS claims,
    summed.count::BIGINT AS count,
    nullif(round(summed.count / summed.runs)::BIGINT, 1) AS in_a_row,
    torch.part_id IS NOT NULL AS is_torch
FROM part
CROSS JOIN thresholds AS least
INNER JOIN summed ON part.part_id = summed.part_id
LEFT JOIN _torch_part AS torch ON part.part_id = torch.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND summed.total_ns > least.elementwise_share * part.busy_ns
    AND summed.count >= least.elementwise_count
    AND summed.count > summed.runs
ORDER BY part.part_id
