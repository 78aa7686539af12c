-- A GPU: what its busy time was made of, so that busy is not mistaken for well used.
--
-- Each busy nanosecond is in exactly one part, and the parts sum to busy_ns: only copies or sets ran, no
-- kernel; else only communication kernels ran (view communication_kernel), whatever was copied beside them;
-- else exactly one computing kernel ran and it has fewer blocks than the GPU has SMs; else the GPU computed
-- in full. A whole graph run counts as computing in full. Small kernels need the number of SMs; where the
-- export does not say it, theirs is NULL and their time lies in computing_ns.
-- Needs  gpu_work_record
-- Parameters
--     gpu          BIGINT = NULL    -- Only this GPU.
--     start_ns     BIGINT = NULL    -- Narrow the window to what is at or after this time.
--     end_ns       BIGINT = NULL    -- Narrow the window to what is before this time.
--     per_process  BOOLEAN = false  -- Keep each process's devices apart; gpu_id is then pid * 1000 + ordinal.
-- Columns
--     gpu_id                  BIGINT  -- Physical GPU.
--     busy_ns                 BIGINT  -- Time with any activity: the sum of the parts.
--     only_copies_ns          BIGINT  -- Copies or sets, and no kernel.
--     only_communication_ns   BIGINT  -- Communication kernels, and no other kernel.
--     one_small_kernel_ns     BIGINT  -- One computing kernel with fewer blocks than SMs, and no other one.
--     computing_ns            BIGINT  -- The rest.
--     only_copies_pct         DOUBLE  -- Share of busy.
--     only_communication_pct  DOUBLE  -- Share of busy.
--     one_small_kernel_pct    DOUBLE  -- Share of busy.
--     computing_pct           DOUBLE  -- Share of busy.
WITH activity AS (
    SELECT
        work.gpu_id,
        greatest(work.start_ns, coalesce($start_ns, work.start_ns)) AS start_ns,
        least(work.end_ns, coalesce($end_ns, work.end_ns)) AS end_ns,
        work.kind IN ('kernel', 'graph') AS is_run,
        work.kind IN ('kernel', 'graph') AND communication_kernel.name_id IS NULL AS is_computing,
        coalesce(work.blocks < gpu.sm_count, false) AS is_small,
        gpu.sm_count
    FROM gpu_work_record AS work
    LEFT JOIN communication_kernel ON work.name_id = communication_kernel.name_id
    LEFT JOIN gpu
        ON CASE WHEN getvariable('per_process') THEN work.device_id ELSE work.gpu_id END = gpu.gpu_id
    WHERE
        work.end_ns > work.start_ns
        AND work.start_ns < coalesce($end_ns, work.end_ns)
        AND work.end_ns > coalesce($start_ns, work.start_ns)
        AND ($gpu IS NULL OR work.gpu_id = $gpu)
),

-- A row adds to a union what of it lies beyond all that started before.
reached AS (
    SELECT
        *,
        max(end_ns) OVER before AS any_until_ns,
        max(end_ns) FILTER (WHERE is_run) OVER before AS run_until_ns,
        max(end_ns) FILTER (WHERE is_computing) OVER before AS computing_until_ns
    FROM activity
    WINDOW before AS (
        PARTITION BY gpu_id ORDER BY start_ns ASC, end_ns ASC
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
),

united AS (
    SELECT
        gpu_id,
        max(sm_count) AS sm_count,
        sum(greatest(end_ns - greatest(start_ns, coalesce(any_until_ns, start_ns)), 0)) AS busy_ns,
        sum(greatest(end_ns - greatest(start_ns, coalesce(run_until_ns, start_ns)), 0))
            FILTER (WHERE is_run) AS run_ns,
        sum(greatest(end_ns - greatest(start_ns, coalesce(computing_until_ns, start_ns)), 0))
            FILTER (WHERE is_computing) AS computing_ns
    FROM reached
    GROUP BY gpu_id
),

-- From one start of a computing kernel to the next, one of them is alone after the second last has ended
-- and until the last does.
lonely AS (
    SELECT
        gpu_id,
        greatest(
            start_ns,
            max(least(end_ns, computing_until_ns)) OVER through
        ) AS start_ns,
        least(
            coalesce(lead(start_ns) OVER through, greatest(end_ns, computing_until_ns, end_ns)),
            greatest(end_ns, coalesce(computing_until_ns, end_ns))
        ) AS end_ns,
        last_value(CASE WHEN end_ns > coalesce(computing_until_ns, start_ns) THEN is_small END IGNORE NULLS)
            OVER through AS is_small
    FROM reached
    WHERE is_computing
    WINDOW through AS (
        PARTITION BY gpu_id ORDER BY start_ns ASC, end_ns ASC
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
),

small AS (
    SELECT
        gpu_id,
        sum(end_ns - start_ns) FILTER (WHERE end_ns > start_ns AND is_small) AS small_ns
    FROM lonely
    GROUP BY gpu_id
),

part AS (
    SELECT
        united.gpu_id,
        united.busy_ns::BIGINT AS busy_ns,
        (united.busy_ns - coalesce(united.run_ns, 0))::BIGINT AS only_copies_ns,
        (coalesce(united.run_ns, 0) - coalesce(united.computing_ns, 0))::BIGINT AS only_communication_ns,
        CASE WHEN united.sm_count IS NOT NULL THEN coalesce(small.small_ns, 0)::BIGINT END AS one_small_kernel_ns,
        (coalesce(united.computing_ns, 0) - coalesce(small.small_ns, 0))::BIGINT AS computing_ns
    FROM united
    LEFT JOIN small ON united.gpu_id = small.gpu_id
)

SELECT
    gpu_id,
    busy_ns,
    only_copies_ns,
    only_communication_ns,
    one_small_kernel_ns,
    computing_ns,
    100 * only_copies_ns / busy_ns AS only_copies_pct,
    100 * only_communication_ns / busy_ns AS only_communication_pct,
    100 * one_small_kernel_ns / busy_ns AS one_small_kernel_pct,
    100 * computing_ns / busy_ns AS computing_pct
FROM part
ORDER BY gpu_id ASC
