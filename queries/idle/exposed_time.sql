-- A GPU: what its busy time consists of, since a busy GPU is not always well used.
--
-- Each busy nanosecond is in exactly one class, and the classes sum to busy_ns: only copies or memsets ran, no
-- kernel; else only communication kernels ran (view communication_kernel), with or without copies; else
-- exactly one computing kernel ran, with fewer blocks than the GPU has SMs; else the rest, computing_ns. A
-- CUDA graph traced as a whole counts as computing_ns. If the export does not give the number of SMs, the
-- time of small kernels is NULL and is in computing_ns.
-- Needs  _gpu_work_ids
-- Engine  skip _gpu_busy_interval unless $start_ns IS NOT NULL OR $end_ns IS NOT NULL
-- Parameters
--     gpu          BIGINT = NULL    -- Only this GPU.
--     start_ns     BIGINT = NULL    -- Start of the interval to analyze.
--     end_ns       BIGINT = NULL    -- End of the interval to analyze.
--     per_process  BOOLEAN = false  -- Keep each process's devices separate; gpu_id is then pid * 1000 + ordinal.
-- Columns
--     gpu_id                  BIGINT  -- Physical GPU.
--     busy_ns                 BIGINT  -- Time with any activity: the sum of the classes.
--     only_copies_ns          BIGINT  -- Copies or memsets, and no kernel.
--     only_communication_ns   BIGINT  -- Communication kernels, and no other kernel.
--     one_small_kernel_ns     BIGINT  -- One computing kernel with fewer blocks than SMs, and no other one.
--     computing_ns            BIGINT  -- The rest.
--     only_copies_pct         DOUBLE  -- Share of busy.
--     only_communication_pct  DOUBLE  -- Share of busy.
--     one_small_kernel_pct    DOUBLE  -- Share of busy.
--     computing_pct           DOUBLE  -- Share of busy.
WITH class AS (
    SELECT
        gpu_id,
        class,
        dur_ns
    FROM _gpu_class_time
    WHERE $start_ns IS NULL AND $end_ns IS NULL
    UNION ALL
    SELECT
        gpu_id,
        class,
        sum(within_ns(start_ns, end_ns, $start_ns, $end_ns))::BIGINT AS dur_ns
    FROM _gpu_busy_interval
    WHERE
        ($start_ns IS NOT NULL OR $end_ns IS NOT NULL)
        AND is_within(start_ns, end_ns, $start_ns, $end_ns)
    GROUP BY gpu_id, class
),

gpu_sum AS (
    SELECT
        gpu_id,
        max(dur_ns) FILTER (WHERE class = 'any') AS busy_ns,
        coalesce(max(dur_ns) FILTER (WHERE class = 'run'), 0) AS run_ns,
        coalesce(max(dur_ns) FILTER (WHERE class = 'computing'), 0) AS computing_ns,
        coalesce(max(dur_ns) FILTER (WHERE class = 'small'), 0) AS small_ns
    FROM class
    WHERE $gpu IS NULL OR gpu_id = $gpu
    GROUP BY gpu_id
),

known AS (
    SELECT
        gpu_id,
        bool_or(knows_small) AS knows_small
    FROM _gpu_process
    GROUP BY gpu_id
),

share AS (
    SELECT
        gpu_sum.gpu_id,
        gpu_sum.busy_ns,
        gpu_sum.busy_ns - gpu_sum.run_ns AS only_copies_ns,
        gpu_sum.run_ns - gpu_sum.computing_ns AS only_communication_ns,
        CASE WHEN known.knows_small THEN gpu_sum.small_ns END AS one_small_kernel_ns,
        gpu_sum.computing_ns - gpu_sum.small_ns AS computing_ns
    FROM gpu_sum
    INNER JOIN known ON gpu_sum.gpu_id IS NOT DISTINCT FROM known.gpu_id
)

SELECT
    *,
    100 * only_copies_ns / busy_ns AS only_copies_pct,
    100 * only_communication_ns / busy_ns AS only_communication_pct,
    100 * one_small_kernel_ns / busy_ns AS one_small_kernel_pct,
    100 * computing_ns / busy_ns AS computing_pct
FROM share
ORDER BY gpu_id ASC
