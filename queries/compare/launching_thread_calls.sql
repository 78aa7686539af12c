-- A function: its time in the threads that launch GPU work, each nanosecond once.
--
-- The threads that launched GPU work, from the first to the last CUDA call of their process, or in the selected
-- interval. Each nanosecond counts for the CUDA or OS runtime call under way in the thread that began first (then:
-- ends last, CUDA, row), so an OS call within a CUDA call counts as the CUDA call. The rest is outside of calls. The
-- rows sum to the interval times the number of threads.
-- Needs  _gpu_work_ids
-- Parameters
--     process_id  BIGINT = NULL  -- Only this process (globalPid).
--     start_ns    BIGINT = NULL  -- Start of the interval to analyze; times are clipped.
--     end_ns      BIGINT = NULL  -- End of the interval to analyze; times are clipped.
-- Columns
--     kind      VARCHAR  -- cuda, os or outside.
--     name      VARCHAR  -- The call's function; 'outside of calls'.
--     total_ns  BIGINT   -- Time in which the call is the first one under way, added over threads.
--     count     BIGINT   -- Calls that begin in the interval, including those within other calls; 0 outside of calls.
WITH thread_stretch AS (
    SELECT DISTINCT
        launch.thread_id,
        coalesce($start_ns, span.start_ns) AS from_ns,
        coalesce($end_ns, span.end_ns) AS until_ns
    FROM _activity_launch AS launch
    INNER JOIN _process_api_span AS span ON launch.process_id = span.process_id
    WHERE launch.thread_id IS NOT NULL AND ($process_id IS NULL OR launch.process_id = $process_id)
),

recorded AS (
    -- noqa: disable=LT09
    SELECT 'cuda' AS kind, * FROM _api_call_ids
    UNION ALL BY NAME
    SELECT 'os' AS kind, * FROM _os_call_ids
),

call AS (
    SELECT
        recorded.kind,
        recorded.thread_id,
        recorded.row_id,
        recorded.name_id,
        recorded.start_ns >= thread_stretch.from_ns AS begins,
        greatest(recorded.start_ns, thread_stretch.from_ns) AS start_ns,
        least(recorded.end_ns, thread_stretch.until_ns) AS end_ns
    FROM recorded
    INNER JOIN thread_stretch ON recorded.thread_id = thread_stretch.thread_id
    WHERE recorded.start_ns < thread_stretch.until_ns AND recorded.end_ns >= thread_stretch.from_ns
),

reached AS (
    SELECT
        *,
        max(end_ns) OVER (
            PARTITION BY thread_id
            ORDER BY start_ns ASC, end_ns DESC, kind ASC, row_id ASC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reach_ns
    FROM call
),

by_id AS (
    SELECT
        kind,
        name_id,
        sum(greatest(end_ns - greatest(start_ns, coalesce(reach_ns, start_ns)), 0))::BIGINT AS total_ns,
        count(*) FILTER (WHERE begins) AS calls
    FROM reached
    GROUP BY kind, name_id
),

named AS (
    SELECT
        by_id.kind,
        coalesce(
            CASE WHEN by_id.kind = 'cuda' THEN _api_name.name ELSE string.text END, 'unknown call'
        ) AS name,
        sum(by_id.total_ns)::BIGINT AS total_ns,
        sum(by_id.calls)::BIGINT AS count
    FROM by_id
    LEFT JOIN _api_name ON by_id.name_id = _api_name.id
    LEFT JOIN string ON by_id.name_id = string.id
    GROUP BY ALL
    UNION ALL
    SELECT
        'outside' AS kind,
        'outside of calls' AS name,
        sum(until_ns - from_ns)::BIGINT - coalesce((SELECT sum(total_ns) FROM by_id), 0)::BIGINT AS total_ns,
        0 AS count
    FROM thread_stretch
)

SELECT *
FROM named
WHERE total_ns IS NOT NULL
ORDER BY total_ns DESC, kind ASC, name ASC
