-- Elementwise kernels in a row over the same data.
--
-- Over 5 % of the busy time in elementwise, copy, cast and optimizer kernels, some directly after each other on a stream:
-- each reads and writes all of its data. Fusing k of them leaves about 1 / k of their time, with k at most 8.
-- Kernels that need a result over all elements cannot be fused; a fused optimizer (FusedAdam) is already.
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
WITH summed AS (
    SELECT
        part_id,
        gpu_id,
        sum(total_ns) AS total_ns,
        sum(alone_ns) AS alone_ns,
        sum(count) AS count
    FROM _judged_kernel
    WHERE class = 'elementwise'
    GROUP BY part_id, gpu_id, busy_ns
    HAVING sum(total_ns) > ELEMENTWISE_SHARE * busy_ns AND sum(count) >= ELEMENTWISE_COUNT
),

work AS (
    SELECT
        work.part_id,
        work.process_id,
        work.stream_id,
        work.start_ns,
        work.row_id,
        known.name_id IS NOT NULL AS is_elementwise
    FROM _part_activity AS work
    SEMI JOIN summed ON work.part_id = summed.part_id
    LEFT JOIN _kernel_class AS known ON work.detail_id = known.name_id AND known.class = 'elementwise'
    WHERE work.kind = 'kernel'
),

ordered AS (
    SELECT
        part_id,
        is_elementwise,
        lag(is_elementwise) OVER (PARTITION BY part_id, process_id, stream_id ORDER BY start_ns, row_id) AS is_after
    FROM work
),

run AS (
    SELECT
        part_id,
        count(*) AS count
    FROM ordered
    WHERE is_elementwise AND is_after IS NOT true
    GROUP BY part_id
)

SELECT
    summed.part_id,
    summed.gpu_id,
    'elementwise' AS subject,
    summed.total_ns::BIGINT AS total_ns,
    (summed.alone_ns * (1 - greatest(run.count / summed.count, 1 / FUSED_KERNELS)))::BIGINT AS saves_ns,
    'about' AS bound,
    'possible' AS certainty,
    false AS once,
    'elementwise' AS claims,
    summed.count::BIGINT AS count,
    nullif(round(summed.count / run.count)::BIGINT, 1) AS in_a_row,
    torch.part_id IS NOT NULL AS is_torch
FROM summed
INNER JOIN run ON summed.part_id = run.part_id
LEFT JOIN _torch_part AS torch ON summed.part_id = torch.part_id
WHERE summed.count > run.count
ORDER BY summed.part_id
