-- Intervals in which a process used a GPU little.
--
-- The time from a process's first work on a GPU to the end of its last is cut into chunks of equal length (the
-- last may be shorter). A chunk's use is the time of all work inside it, divided by its length: concurrent work
-- adds up and can exceed 100 percent. Neighboring chunks below the threshold are one row, whose use is the mean
-- weighted by length. Processes that share a GPU are evaluated separately, and so are graphics APIs and CUDA.
-- Profiler overhead counts as work. `nsys analyze` ignores CUDA graphs traced as a whole and overhead by the
-- names that nsys uses since 2024, and keeps the earliest rows, not the worst, if it limits their number.
-- Needs  _rule_gpu_busy
-- Parameters
--     threshold_pct  DOUBLE = 50.0    -- Use below which a chunk is shown.
--     chunks         BIGINT = 30      -- Chunks to cut the time into, 1 to 1000.
--     top            BIGINT = NULL    -- Rows of lowest use to keep; NULL keeps all.
--     as_nsys        BOOLEAN = false  -- Find the rows that NVIDIA finds.
-- Columns
--     row_number   BIGINT  -- [Row#] Number of the row.
--     in_use_pct   DOUBLE  -- [In-Use (%)] Share of the time in which the GPU worked.
--     duration_ns  BIGINT  -- [Duration (ns)] Length.
--     start_ns     BIGINT  -- [Start (ns)] Start.
--     pid          BIGINT  -- [PID] Process.
--     device_id    BIGINT  -- [Device ID] CUDA ordinal within the process.
--     context_id   BIGINT  -- [Context ID] Context of the process's last work on the GPU.
-- Same as  nsys analyze --rule gpu_time_util
WITH operation AS (
    SELECT *
    FROM _rule_gpu_busy
    WHERE counted_by_nsys OR NOT $as_nsys
),

time_line AS (
    SELECT
        api,
        pid,
        device_id,
        min(start_ns) AS start_ns,
        max(end_ns) AS end_ns,
        ceil((max(end_ns) - min(start_ns)) / nullif($chunks, 0))::BIGINT AS chunk_ns
    FROM operation
    GROUP BY api, pid, device_id
),

chunk AS (
    SELECT
        api,
        pid,
        device_id,
        number,
        start_ns + number * chunk_ns AS start_ns,
        least(start_ns + (number + 1) * chunk_ns, end_ns) AS end_ns
    FROM time_line, unnest(range($chunks)) AS numbered (number)
    WHERE start_ns + number * chunk_ns < end_ns
),

-- Each operation once per chunk that it touches, and no more.
piece AS (
    SELECT
        operation.api,
        operation.pid,
        operation.device_id,
        operation.start_ns,
        operation.end_ns,
        time_line.start_ns AS zero_ns,
        time_line.chunk_ns,
        unnest(range(
            (operation.start_ns - time_line.start_ns) // time_line.chunk_ns,
            (operation.end_ns - time_line.start_ns) // time_line.chunk_ns + 1
        )) AS number
    FROM operation
    INNER JOIN time_line
        ON
            operation.api = time_line.api
            AND operation.pid IS NOT DISTINCT FROM time_line.pid
            AND operation.device_id IS NOT DISTINCT FROM time_line.device_id
),

busy AS (
    SELECT
        api,
        pid,
        device_id,
        number,
        sum(
            least(end_ns, zero_ns + (number + 1) * chunk_ns) - greatest(start_ns, zero_ns + number * chunk_ns)
        ) AS busy_ns
    FROM piece
    WHERE NOT $as_nsys OR (pid IS NOT NULL AND device_id IS NOT NULL)  -- NVIDIA finds no work without both
    GROUP BY api, pid, device_id, number
),

chunk_use AS (
    SELECT
        chunk.*,
        coalesce(busy.busy_ns, 0) AS busy_ns
    FROM chunk
    LEFT JOIN busy
        ON
            chunk.api = busy.api
            AND chunk.pid IS NOT DISTINCT FROM busy.pid
            AND chunk.device_id IS NOT DISTINCT FROM busy.device_id
            AND chunk.number = busy.number
),

low_chunk AS (
    SELECT
        *,
        number - row_number() OVER (PARTITION BY api, pid, device_id ORDER BY number) AS stretch
    FROM chunk_use
    WHERE 100 * busy_ns / (end_ns - start_ns) < $threshold_pct
),

low_stretch AS (
    SELECT
        api,
        pid,
        device_id,
        stretch,
        min(start_ns) AS start_ns,
        max(end_ns) - min(start_ns) AS dur_ns,
        100 * sum(busy_ns) / sum(end_ns - start_ns) AS in_use_pct
    FROM low_chunk
    GROUP BY api, pid, device_id, stretch
    QUALIFY
        NOT $as_nsys
        OR $top IS NULL
        OR row_number() OVER (
            PARTITION BY api ORDER BY stretch ASC, device_id ASC NULLS FIRST, pid ASC NULLS FIRST
        ) <= $top
),

last_context AS (
    SELECT
        time_line.api,
        time_line.pid,
        time_line.device_id,
        first(operation.context_id ORDER BY operation.kind ASC, operation.row_id ASC) AS context_id
    FROM time_line
    INNER JOIN operation
        ON
            time_line.api = operation.api
            AND time_line.pid IS NOT DISTINCT FROM operation.pid
            AND time_line.device_id IS NOT DISTINCT FROM operation.device_id
            AND time_line.end_ns = operation.end_ns
    GROUP BY time_line.api, time_line.pid, time_line.device_id
)

SELECT
    row_number() OVER (
        ORDER BY
            CASE WHEN $as_nsys THEN round(low_stretch.in_use_pct * 10) ELSE low_stretch.in_use_pct END ASC,
            low_stretch.dur_ns ASC,
            list_position(['cuda', 'vulkan', 'opengl', 'dx12'], low_stretch.api) ASC,
            low_stretch.stretch ASC,
            low_stretch.device_id ASC NULLS FIRST,
            low_stretch.pid ASC NULLS FIRST
    ) AS row_number,
    low_stretch.in_use_pct,
    low_stretch.dur_ns AS duration_ns,
    low_stretch.start_ns,
    low_stretch.pid,
    low_stretch.device_id,
    last_context.context_id
FROM low_stretch
INNER JOIN last_context
    ON
        low_stretch.api = last_context.api
        AND low_stretch.pid IS NOT DISTINCT FROM last_context.pid
        AND low_stretch.device_id IS NOT DISTINCT FROM last_context.device_id
ORDER BY row_number ASC
LIMIT $top
