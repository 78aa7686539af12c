-- Busy intervals of a GPU by process, as the rules of `nsys analyze` count them.
--
-- Work of CUDA and of the graphics APIs, each API on a separate timeline. Work without a timestamp or from before
-- the capture (start not above 0) is left out. Profiler overhead is a row on every timeline of its process, if it is
-- strictly between the start of the first work and the end of the last, so that it does not count as idle time.
-- NVIDIA does not count CUDA graphs traced as a whole, nor overhead by the names used since 2024.
-- Needs  _gpu_work_ids or graphics_work
-- Columns
--     api              VARCHAR  -- cuda, vulkan, opengl or dx12.
--     kind             VARCHAR  -- kernel, memcpy, memset, graph, graphics or overhead.
--     device_id        BIGINT   -- CUDA ordinal within the process, or GPU of the graphics API.
--     context_id       BIGINT   -- Context; of overhead, that of the last work on the time line.
--     counted_by_nsys  BOOLEAN  -- NVIDIA counts it.
WITH work AS (
    -- noqa: disable=LT09
    SELECT 'cuda' AS api, * FROM _gpu_work_ids
    WHERE start_ns > 0
    UNION ALL BY NAME
    SELECT 'graphics' AS kind, * FROM graphics_work
    WHERE start_ns > 0
),

time_line AS (
    SELECT
        api,
        pid,
        device_id,
        min(start_ns) AS start_ns,
        max(end_ns) AS end_ns,
        min(start_ns) FILTER (kind <> 'graph') AS nsys_start_ns,
        max(end_ns) FILTER (kind <> 'graph') AS nsys_end_ns
    FROM work
    GROUP BY api, pid, device_id
),

last_context AS (
    SELECT
        time_line.api,
        time_line.pid,
        time_line.device_id,
        first(work.context_id ORDER BY work.kind ASC, work.row_id ASC) AS context_id
    FROM time_line
    INNER JOIN work
        ON
            time_line.api = work.api
            AND time_line.pid IS NOT DISTINCT FROM work.pid
            AND time_line.device_id IS NOT DISTINCT FROM work.device_id
            AND coalesce(time_line.nsys_end_ns, time_line.end_ns) = work.end_ns
    GROUP BY time_line.api, time_line.pid, time_line.device_id
)

SELECT
    api,
    kind,
    row_id,
    start_ns,
    end_ns,
    pid,
    device_id,
    context_id,
    kind <> 'graph' AS counted_by_nsys
FROM work
UNION ALL
SELECT
    time_line.api,
    'overhead' AS kind,
    overhead.row_id,
    overhead.start_ns,
    overhead.end_ns,
    time_line.pid,
    time_line.device_id,
    last_context.context_id,
    overhead.start_ns > time_line.nsys_start_ns
    AND overhead.end_ns < time_line.nsys_end_ns
    AND overhead.name IN (
        upper(time_line.api) || ' profiling overhead',
        CASE time_line.api
            WHEN 'cuda' THEN 'CUDA profiling data flush overhead'
            WHEN 'vulkan' THEN 'Vulkan profiling overhead'
        END,
        CASE time_line.api WHEN 'cuda' THEN 'CUDA profiling stop overhead' END
    ) AS counted_by_nsys
FROM profiler_overhead AS overhead
INNER JOIN time_line
    ON
        pid_of(overhead.thread_id) = time_line.pid
        AND overhead.start_ns > time_line.start_ns
        AND overhead.end_ns < time_line.end_ns
INNER JOIN last_context
    ON
        time_line.api = last_context.api
        AND time_line.pid = last_context.pid
        AND time_line.device_id IS NOT DISTINCT FROM last_context.device_id
