-- A blocking call after which a GPU had no work of the process left: it emptied the queue.
--
-- Blocking calls are synchronizations and copies from the GPU that wait (copies to it return when the data are
-- staged). Work counts whose launch is recorded. When the call began some was launched and not finished; some was
-- finished when it returned, or within 20 us (the clocks of CPU and GPU differ by some), and all launched had started.
-- Needs  _gpu_work_ids
-- Engine  whole
-- Columns
--     gpu_id        BIGINT  -- Physical GPU.
--     process_id    BIGINT  -- Process (globalPid).
--     row_id        BIGINT  -- Position of the call in the export's table.
--     thread_id     BIGINT  -- Thread of the call (globalTid).
--     start_ns      BIGINT  -- Start of the call.
--     end_ns        BIGINT  -- Return of the call.
--     name_id       BIGINT  -- Name, as a number of `string`.
--     launch_count  BIGINT  -- Launches of work on the GPU, by their times, since the process's call before that emptied its queue.
WITH work AS (
    SELECT
        gpu_id,
        process_id,
        call_id,
        start_ns - 20000 AS soon_ns,
        end_ns,
        api_start_ns,
        api_end_ns
    FROM _activity_launch
    WHERE call_id IS NOT NULL
),

asked AS (
    SELECT
        gpu_id,
        process_id,
        api_start_ns AS time_ns,
        row_number() OVER (PARTITION BY gpu_id, process_id ORDER BY api_start_ns) AS number
    FROM work
),

ended AS (
    SELECT
        gpu_id,
        process_id,
        end_ns AS time_ns,
        end_ns - 20000 AS soon_ns,
        row_number() OVER (PARTITION BY gpu_id, process_id ORDER BY end_ns) AS number
    FROM work
),

queued AS (
    SELECT
        gpu_id,
        process_id,
        api_end_ns AS time_ns,
        row_number() OVER (PARTITION BY gpu_id, process_id ORDER BY api_end_ns) AS number
    FROM work
    WHERE soon_ns > api_end_ns
),

begun AS (
    SELECT
        gpu_id,
        process_id,
        soon_ns AS time_ns,
        row_number() OVER (PARTITION BY gpu_id, process_id ORDER BY soon_ns) AS number
    FROM work
    WHERE soon_ns > api_end_ns
),

counted AS (
    SELECT
        gpu_id,
        process_id,
        api_start_ns AS time_ns,
        row_number() OVER (PARTITION BY gpu_id, process_id ORDER BY api_start_ns) AS number
    FROM work
    GROUP BY gpu_id, process_id, api_start_ns
),

to_gpu AS (
    SELECT DISTINCT call_id
    FROM _activity_launch
    WHERE kind = 'memcpy' AND detail_id <> 2 AND call_id IS NOT NULL
),

used AS (
    SELECT DISTINCT
        gpu_id,
        process_id
    FROM work
),

blocking AS (
    SELECT
        used.gpu_id,
        used.process_id,
        call.row_id,
        call.thread_id,
        call.start_ns,
        call.end_ns,
        call.name_id
    FROM _thread_state AS call
    INNER JOIN used
        ON process_of(call.thread_id) = used.process_id
    ANTI JOIN to_gpu ON call.row_id = to_gpu.call_id
    WHERE call.cause = 'sync' AND call.source = 'CUPTI_ACTIVITY_KIND_RUNTIME' AND call.end_ns > call.start_ns
),

drained AS (
    SELECT
        blocking.*,
        coalesce(counted.number, 0) AS launches
    FROM blocking
    ASOF LEFT JOIN asked
        ON
            blocking.gpu_id IS NOT DISTINCT FROM asked.gpu_id
            AND blocking.process_id = asked.process_id
            AND blocking.start_ns >= asked.time_ns
    ASOF LEFT JOIN ended
        ON
            blocking.gpu_id IS NOT DISTINCT FROM ended.gpu_id
            AND blocking.process_id = ended.process_id
            AND blocking.start_ns >= ended.time_ns
    ASOF LEFT JOIN ended AS done
        ON
            blocking.gpu_id IS NOT DISTINCT FROM done.gpu_id
            AND blocking.process_id = done.process_id
            AND blocking.end_ns >= done.soon_ns
    ASOF LEFT JOIN queued
        ON
            blocking.gpu_id IS NOT DISTINCT FROM queued.gpu_id
            AND blocking.process_id = queued.process_id
            AND blocking.end_ns >= queued.time_ns
    ASOF LEFT JOIN begun
        ON
            blocking.gpu_id IS NOT DISTINCT FROM begun.gpu_id
            AND blocking.process_id = begun.process_id
            AND blocking.end_ns >= begun.time_ns
    ASOF LEFT JOIN counted
        ON
            blocking.gpu_id IS NOT DISTINCT FROM counted.gpu_id
            AND blocking.process_id = counted.process_id
            AND blocking.start_ns >= counted.time_ns
    WHERE
        coalesce(asked.number, 0) > coalesce(ended.number, 0)
        AND coalesce(done.number, 0) > coalesce(ended.number, 0)
        AND coalesce(queued.number, 0) = coalesce(begun.number, 0)
)

SELECT
    gpu_id,
    process_id,
    row_id,
    thread_id,
    start_ns,
    end_ns,
    name_id,
    launches - coalesce(lag(launches) OVER call_order, 0) AS launch_count
FROM drained
WINDOW call_order AS (PARTITION BY gpu_id, process_id ORDER BY start_ns ASC, row_id ASC)
ORDER BY gpu_id, process_id, start_ns, row_id
