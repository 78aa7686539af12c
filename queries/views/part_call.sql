-- CUDA calls of a part by thread and name: time, and what blocking calls waited for.
--
-- Of processes that work on the GPU. A call is in the part in which it begins.
-- Needs  _api_call_ids
-- Engine  table
-- Columns
--     part_id         BIGINT   -- The part.
--     gpu_id          BIGINT   -- Physical GPU.
--     process_id      BIGINT   -- Process (globalPid).
--     thread_id       BIGINT   -- Thread (globalTid).
--     name            VARCHAR  -- Name without version suffix.
--     cause           VARCHAR  -- sync for blocking calls, launch, or the cause of idle time.
--     total_ns        BIGINT   -- Time.
--     count           BIGINT   -- Calls.
--     step_count      BIGINT   -- Steady steps in which it occurs.
--     value_count     BIGINT   -- Blocking calls that follow, or make, a copy of at most 64 bytes.
--     value_ns        BIGINT   -- Time of these.
--     drain_count     BIGINT   -- Calls after which the GPU had nothing queued.
--     drain_ns        BIGINT   -- Time of these.
--     first_row_id    BIGINT   -- Position of the first in the export's table.
WITH call AS (
    SELECT
        call.row_id,
        call.thread_id,
        call.start_ns,
        call.end_ns,
        call.process_id,
        cause.name,
        CASE
            WHEN cause.is_launch THEN 'launch'
            ELSE cause.cause
        END AS cause
    FROM _api_call_ids AS call
    INNER JOIN _api_cause AS cause ON call.name_id = cause.id
),

used AS (
    SELECT DISTINCT
        gpu_id,
        process_id
    FROM _gpu_process
),

-- The last copy that the thread asked for at the time of each blocking call.
copied AS (
    SELECT
        work.thread_id,
        work.api_start_ns,
        max(copy.bytes) AS bytes
    FROM _part_activity AS work
    LEFT JOIN memcpy AS copy ON CASE WHEN work.kind = 'memcpy' THEN work.row_id END = copy.row_id
    WHERE work.thread_id IS NOT NULL
    GROUP BY work.thread_id, work.api_start_ns
),

waiting AS (
    SELECT
        call.*,
        coalesce(copied.bytes <= least.value_bytes, false) AS is_value
    FROM call
    CROSS JOIN thresholds AS least
    ASOF LEFT JOIN copied
        ON
            call.thread_id = copied.thread_id
            AND call.start_ns >= copied.api_start_ns
    WHERE call.cause = 'sync'
),

marked AS (
    SELECT * FROM waiting
    UNION ALL
    SELECT
        *,
        false AS is_value
    FROM call
    WHERE cause <> 'sync'
),

placed AS (
    SELECT
        span.part_id,
        span.gpu_id,
        marked.*
    FROM marked
    INNER JOIN used ON marked.process_id = used.process_id
    INNER JOIN _part_span AS span
        ON
            used.gpu_id IS NOT DISTINCT FROM span.gpu_id
            AND marked.start_ns >= span.start_ns
            AND marked.start_ns < span.end_ns
),

stepped AS (
    SELECT
        placed.*,
        step.step
    FROM placed
    ASOF LEFT JOIN _part_step AS step
        ON
            placed.part_id = step.part_id
            AND placed.start_ns >= step.start_ns
)

SELECT
    stepped.part_id,
    stepped.gpu_id,
    stepped.process_id,
    stepped.thread_id,
    stepped.name,
    stepped.cause,
    sum(stepped.end_ns - stepped.start_ns)::BIGINT AS total_ns,
    count(*) AS count,
    count(DISTINCT stepped.step) AS step_count,
    count(*) FILTER (WHERE stepped.is_value) AS value_count,
    coalesce(sum(stepped.end_ns - stepped.start_ns) FILTER (WHERE stepped.is_value), 0)::BIGINT AS value_ns,
    count(drain.row_id) AS drain_count,
    coalesce(sum(stepped.end_ns - stepped.start_ns) FILTER (WHERE drain.row_id IS NOT NULL), 0)::BIGINT AS drain_ns,
    min(stepped.row_id) AS first_row_id
FROM stepped
LEFT JOIN _drain_call AS drain
    ON
        stepped.row_id = drain.row_id
        AND stepped.gpu_id IS NOT DISTINCT FROM drain.gpu_id
GROUP BY ALL
