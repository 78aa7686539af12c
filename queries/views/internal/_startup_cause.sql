-- Idle time of the start-up of a part by cause; host code is told apart by what it does.
--
-- It creates library handles, or compiles at run time (claim `once`). In parts without steps only what happens once
-- counts, and allocation that does not recur.
-- Needs  _idle_gap
-- Columns
--     usual: part_id, gpu_id
--     title        VARCHAR  -- Cause.
--     is_memory    BOOLEAN  -- Allocation.
--     is_host      BOOLEAN  -- Other host code, or waits.
--     is_compiled  BOOLEAN  -- Compilation at run time.
--     idle_ns      HUGEINT  -- Idle time.
--     is_large     BOOLEAN  -- At least a tenth of that of its part.
WITH cause AS (
    SELECT
        part.part_id,
        part.gpu_id,
        CASE
            WHEN
                idle.cause = 'host_code' AND creates_library(coalesce(idle.function, idle.nvtx_path))
                THEN 'Host code that creates library handles'
            WHEN is_host_work(idle.cause) AND idle.claim = 'once' THEN 'Host code that compiles at run time'
            ELSE idle_cause.title
        END AS title,
        idle.cause = 'memory_management' AS is_memory,
        is_host_work(idle.cause) AND idle.claim <> 'once' AS is_host,
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
)

SELECT
    *,
    title = 'Host code that compiles at run time' AS is_compiled,
    10 * idle_ns >= sum(idle_ns) OVER (PARTITION BY part_id) AS is_large
FROM cause
