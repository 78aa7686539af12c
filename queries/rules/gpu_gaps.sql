-- Intervals in which a GPU did nothing for a process.
--
-- From the end of the last work that was running to the start of the next, over all streams and contexts; the
-- time before the first and after the last work does not count. Processes that share a GPU are evaluated
-- separately (`idle_gaps` has the gaps of the GPU itself), and so are graphics APIs and CUDA. Profiler overhead
-- does not count as a gap. `nsys analyze` ignores CUDA graphs traced as a whole and overhead by the names that
-- nsys uses since 2024, and leaves out gaps of exactly the shortest length.
-- Needs  _rule_gpu_busy
-- Parameters
--     min_gap_ns  BIGINT = 500000000  -- Shortest gap to show.
--     top         BIGINT = NULL       -- Longest gaps to keep; NULL keeps all.
--     as_nsys     BOOLEAN = false     -- Find the gaps that NVIDIA finds.
-- Columns
--     row_number   BIGINT  -- [Row#] Number of the row.
--     duration_ns  BIGINT  -- [Duration (ns)] How long the GPU did nothing.
--     start_ns     BIGINT  -- [Start (ns)] When it fell idle.
--     pid          BIGINT  -- [PID] Process.
--     device_id    BIGINT  -- [Device ID] CUDA ordinal within the process.
--     context_id   BIGINT  -- [Context ID] Context of the work that ended last before the gap.
-- Same as  nsys analyze --rule gpu_gaps
WITH operation AS (
    SELECT *
    FROM _rule_gpu_busy
    WHERE counted_by_nsys OR NOT $as_nsys
),

operation_before AS (
    SELECT
        api,
        pid,
        device_id,
        start_ns,
        max(end_ns) OVER (
            PARTITION BY api, pid, device_id
            ORDER BY start_ns, end_ns
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS busy_until_ns
    FROM operation
),

gap AS (
    SELECT
        api,
        pid,
        device_id,
        busy_until_ns AS start_ns,
        start_ns - busy_until_ns AS dur_ns
    FROM operation_before
    WHERE
        start_ns > busy_until_ns
        AND start_ns - busy_until_ns >= $min_gap_ns + $as_nsys::BIGINT
        AND (NOT $as_nsys OR (pid IS NOT NULL AND device_id IS NOT NULL))
),

-- If there are several APIs, NVIDIA keeps the first gaps of each, not the longest.
are_first AS (
    SELECT $as_nsys AND count(DISTINCT api) > 1 AS kept
    FROM operation
),

kept_gap AS (
    SELECT *
    FROM gap
    QUALIFY
        $top IS NULL
        OR NOT (SELECT are_first.kept FROM are_first)
        OR row_number() OVER (PARTITION BY api ORDER BY pid, device_id, start_ns) <= $top
),

longest AS (
    SELECT
        *,
        row(-dur_ns, start_ns, list_position(['cuda', 'vulkan', 'opengl', 'dx12'], api), pid, device_id) AS place
    FROM kept_gap
    ORDER BY place ASC
    LIMIT $top
),

gap_of_context AS (
    SELECT
        longest.api,
        longest.pid,
        longest.device_id,
        longest.start_ns,
        longest.dur_ns,
        longest.place,
        last(
            operation.context_id
            ORDER BY
                list_position(['kernel', 'memcpy', 'memset'], operation.kind) ASC NULLS LAST,
                operation.row_id ASC
        ) AS context_id
    FROM longest
    INNER JOIN operation
        ON
            longest.api = operation.api
            AND longest.pid IS NOT DISTINCT FROM operation.pid
            AND longest.device_id IS NOT DISTINCT FROM operation.device_id
            AND longest.start_ns = operation.end_ns
    GROUP BY ALL
)

SELECT
    row_number() OVER (ORDER BY place ASC) AS row_number,
    dur_ns AS duration_ns,
    start_ns,
    pid,
    device_id,
    context_id
FROM gap_of_context
ORDER BY row_number ASC
