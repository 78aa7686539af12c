-- CUDA calls of a part by thread and name: time, and what blocking calls waited for.
--
-- For processes that work on the GPU. A call is in the part in which it begins.
-- Needs  _api_call_ids
-- Engine  table
-- Columns
--     usual: part_id, gpu_id, process_id, thread_id
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
WITH name AS (
    SELECT
        id,
        name,
        CASE WHEN is_launch THEN 'launch' ELSE cause END AS cause,
        min(id) OVER (PARTITION BY name, is_launch, cause) AS name_id  -- several ids: a name without its suffix
    FROM _api_cause
),

used AS (
    SELECT DISTINCT
        gpu_id,
        process_id
    FROM _gpu_process
),

-- The last copy that the thread launched before each blocking call.
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
        call.row_id,
        call.thread_id,
        call.start_ns
    FROM _api_call_ids AS call
    INNER JOIN name ON call.name_id = name.id
    WHERE name.cause = 'sync'
),

for_value AS (
    SELECT waiting.row_id
    FROM waiting
    CROSS JOIN thresholds AS least
    ASOF INNER JOIN copied ON waiting.thread_id = copied.thread_id AND waiting.start_ns >= copied.api_start_ns
    WHERE copied.bytes <= least.value_bytes
),

-- Times at which the part or step of a GPU changes: one sorted join places all calls.
point AS (
    SELECT
        gpu_id,
        start_ns
    FROM _part_span
    UNION
    SELECT
        gpu_id,
        start_ns
    FROM _part_step
),

change AS (
    SELECT
        point.gpu_id,
        point.start_ns,
        span.end_ns,
        span.part_id,
        step.step
    FROM point
    INNER JOIN _part_span AS span
        ON
            point.gpu_id IS NOT DISTINCT FROM span.gpu_id
            AND point.start_ns >= span.start_ns
            AND point.start_ns < span.end_ns
    ASOF LEFT JOIN _part_step AS step ON span.part_id = step.part_id AND point.start_ns >= step.start_ns
),

placed AS (
    SELECT
        change.part_id,
        change.gpu_id,
        change.step,
        call.process_id,
        call.thread_id,
        call.name_id,
        call.row_id,
        call.end_ns - call.start_ns AS dur_ns
    FROM _api_call_ids AS call
    INNER JOIN used ON call.process_id = used.process_id
    ASOF INNER JOIN change ON used.gpu_id IS NOT DISTINCT FROM change.gpu_id AND call.start_ns >= change.start_ns
    WHERE call.start_ns < change.end_ns
),

-- By step first: counting distinct steps of millions of calls takes longer.
stepped AS (
    SELECT
        placed.part_id,
        placed.gpu_id,
        placed.process_id,
        placed.thread_id,
        placed.step,
        name.name_id,
        sum(placed.dur_ns) AS total_ns,
        count(*) AS count,
        count(for_value.row_id) AS value_count,
        sum(placed.dur_ns) FILTER (WHERE for_value.row_id IS NOT NULL) AS value_ns,
        count(drain.row_id) AS drain_count,
        sum(placed.dur_ns) FILTER (WHERE drain.row_id IS NOT NULL) AS drain_ns,
        min(placed.row_id) AS first_row_id
    FROM placed
    INNER JOIN name ON placed.name_id = name.id
    LEFT JOIN for_value ON placed.row_id = for_value.row_id
    LEFT JOIN _drain_call AS drain ON placed.row_id = drain.row_id AND placed.gpu_id IS NOT DISTINCT FROM drain.gpu_id
    GROUP BY ALL
)

SELECT
    stepped.part_id,
    stepped.gpu_id,
    stepped.process_id,
    stepped.thread_id,
    name.name,
    name.cause,
    sum(stepped.total_ns)::BIGINT AS total_ns,
    sum(stepped.count)::BIGINT AS count,
    count(stepped.step) AS step_count,
    sum(stepped.value_count)::BIGINT AS value_count,
    coalesce(sum(stepped.value_ns), 0)::BIGINT AS value_ns,
    sum(stepped.drain_count)::BIGINT AS drain_count,
    coalesce(sum(stepped.drain_ns), 0)::BIGINT AS drain_ns,
    min(stepped.first_row_id) AS first_row_id
FROM stepped
INNER JOIN name ON stepped.name_id = name.id
GROUP BY ALL
