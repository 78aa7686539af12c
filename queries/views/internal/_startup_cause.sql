-- Idle time of start-up in a part by cause; host code that creates library handles or compiles is separate.
--
-- Compilation at run time has claim `once`. In parts outside of series only one-time causes and allocation that does not
-- recur count. Parts in which all of it is under 1 % of the GPU's window are left out.
-- Needs  _idle_gap
-- Columns
--     usual: part_id, gpu_id
--     title        VARCHAR  -- Cause.
--     kind         VARCHAR  -- memory (allocation), loading (modules, first launches), library, compiling, host or other.
--     idle_ns      HUGEINT  -- Idle time.
--     is_large     BOOLEAN  -- At least a tenth of that of its part.
WITH cause AS (
    SELECT
        part.part_id,
        part.gpu_id,
        part.window_ns,
        CASE
            WHEN
                idle.cause = 'host_code' AND creates_library(coalesce(idle.function, idle.nvtx_path))
                THEN 'Creation of library handles'
            WHEN is_host_work(idle.cause) AND idle.claim = 'once' THEN 'Run-time compilation'
            ELSE idle_cause.title
        END AS title,
        CASE
            WHEN idle.cause = 'host_code' AND creates_library(coalesce(idle.function, idle.nvtx_path)) THEN 'library'
            WHEN is_host_work(idle.cause) THEN if(idle.claim = 'once', 'compiling', 'host')
            WHEN idle.cause = 'memory_management' THEN 'memory'
            WHEN idle.cause IN ('module_load', 'first_launch') THEN 'loading'
            ELSE 'other'
        END AS kind,
        sum(idle.idle_ns) AS idle_ns
    FROM part
    INNER JOIN part_idle AS idle ON part.part_id = idle.part_id
    INNER JOIN idle_cause ON idle.cause = idle_cause.cause
    LEFT JOIN _allocating_part AS allocating ON part.part_id = allocating.part_id
    LEFT JOIN _recompiling_part AS recompiling ON part.part_id = recompiling.part_id
    WHERE
        part.kind = 'startup'
        OR (
            part.kind IN ('work', 'rest')
            AND NOT (recompiling.part_id IS NOT NULL AND is_host_work(idle.cause))
            AND (idle.claim = 'once' OR (idle.claim = 'allocation' AND allocating.part_id IS NULL))
        )
    GROUP BY ALL
)

SELECT
    cause.* EXCLUDE (window_ns),
    10 * cause.idle_ns >= sum(cause.idle_ns) OVER of_part AS is_large
FROM cause
WINDOW of_part AS (PARTITION BY cause.part_id)
QUALIFY sum(cause.idle_ns) OVER of_part >= STARTUP_SHARE * cause.window_ns
