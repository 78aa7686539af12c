-- What happens once: context, modules, first launches, before the first steady step.
--
-- Parts before and startup, and such causes elsewhere without a series, also allocation that does not recur. Host code
-- in NVTX ranges of compilers (NVRTC, XLA) is compilation at run time; in a library's create functions it is the creation
-- of its handle.
-- Needs  _idle_gap
-- Finding
--     says  Start-up leaves the GPU idle for {total_ns}, most of it {what}.
--     do if is_memory  Allocate before the timed part, pinned memory above all, and keep it; warm up before you measure.
--     do if is_host  Warm up before you measure, or begin timing after it.
--     do  Warm up before you measure; CUDA_MODULE_LOADING=EAGER, code for this GPU instead of PTX, library handles created once.
-- Columns
--     what       VARCHAR  -- Causes with most time, at least a tenth each.
--     is_memory  BOOLEAN  -- Allocation has most of it.
--     is_host    BOOLEAN  -- Other host code has most of it.
WITH cause AS (
    SELECT
        part.part_id,
        part.gpu_id,
        CASE
            WHEN
                idle.cause = 'host_code' AND creates_library(coalesce(idle.function, idle.nvtx_path))
                THEN 'Host code that creates library handles'
            WHEN idle.cause = 'host_code' AND idle.claim = 'once' THEN 'Host code that compiles at run time'
            ELSE idle_cause.title
        END AS title,
        idle.cause = 'memory_management' AS is_memory,
        idle.cause = 'host_code' AND idle.claim <> 'once' AS is_host,
        sum(idle.idle_ns) AS idle_ns
    FROM part
    INNER JOIN part_idle AS idle ON part.part_id = idle.part_id
    INNER JOIN idle_cause ON idle.cause = idle_cause.cause
    LEFT JOIN _allocating_part AS allocating ON part.part_id = allocating.part_id
    WHERE
        part.kind = 'startup'
        OR (
            part.kind IN ('work', 'rest')
            AND (idle.claim = 'once' OR (idle.claim = 'allocation' AND allocating.part_id IS NULL))
        )
    GROUP BY ALL
),

compared AS (
    SELECT
        *,
        10 * idle_ns >= sum(idle_ns) OVER (PARTITION BY part_id) AS is_large
    FROM cause
)

SELECT
    cause.part_id,
    cause.gpu_id,
    'start-up' AS subject,
    sum(cause.idle_ns)::BIGINT AS total_ns,
    sum(cause.idle_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    true AS once,
    'once' AS claims,
    array_to_string(
        list_slice(
            list(in_sentence(cause.title) ORDER BY cause.idle_ns DESC, cause.title ASC) FILTER (WHERE cause.is_large),
            1, 3
        ),
        ', '
    ) AS what,
    arg_max(cause.is_memory, row(cause.idle_ns, cause.title)) AS is_memory,
    arg_max(cause.is_host, row(cause.idle_ns, cause.title)) AS is_host
FROM compared AS cause
GROUP BY cause.part_id, cause.gpu_id
ORDER BY cause.part_id
