-- Launches by GPU: how long they queue, which shows whether the CPU runs ahead of the GPU.
--
-- A launch is an API call with the kernels that it started, joined by process and correlation id; a graph
-- launch traced by nodes has many, one traced as a whole has its run instead. It waits from the call's return to
-- the start of its first kernel, 0 if that started earlier. Launches that wait long queue behind other work: the
-- CPU is ahead. Launches that hardly wait find the GPU free: it waits for the CPU. Kernels of zero length are left
-- out. An interval includes launches whose kernels run in it, wherever their call is.
-- Needs  _kernel_ids or graph_trace
-- Parameters
--     soon_ns          BIGINT = 20000  -- Longest wait that is launch latency rather than queueing.
--     start_ns         BIGINT = NULL   -- Only launches whose kernels run at or after this time.
--     end_ns           BIGINT = NULL   -- Only launches whose kernels run before this time.
-- Columns
--     gpu_id           BIGINT  -- Physical GPU.
--     soon_ns          BIGINT  -- The parameter.
--     launches         BIGINT  -- API calls that launched kernels or graphs.
--     runs             BIGINT  -- Kernels, and graphs traced as a whole, whether their call is recorded or not.
--     orphan_runs      BIGINT  -- Those whose call was not recorded; they count below only as running.
--     call_ns          BIGINT  -- Time in launch calls on the CPU, all threads added.
--     call_med_ns      DOUBLE  -- Median call.
--     wait_ns          BIGINT  -- Waiting, all launches added; their waits overlap.
--     wait_med_ns      DOUBLE  -- Median wait.
--     wait_max_ns      BIGINT  -- Longest wait.
--     soon_launches    BIGINT  -- Launches that waited no longer than soon_ns.
--     running_ns       BIGINT  -- Running on the GPU, all of them added; they can overlap.
--     running_med_ns   DOUBLE  -- Median launch, its kernels added.
WITH shared AS (
    SELECT call_id
    FROM _activity_launch
    WHERE call_id IS NOT NULL
    GROUP BY call_id
    HAVING count(*) > 1
),

run AS (
    SELECT
        launch.*,
        shared.call_id IS NOT NULL AS is_shared
    FROM _activity_launch AS launch
    LEFT JOIN shared ON launch.call_id = shared.call_id
    WHERE launch.kind IN ('kernel', 'graph')
),

work AS (
    SELECT
        gpu_id,
        start_ns,
        end_ns,
        end_ns - start_ns AS running_ns,
        1 AS runs,
        api_start_ns,
        api_end_ns
    FROM run
    WHERE NOT is_shared
    UNION ALL
    SELECT
        gpu_id,
        min(start_ns) AS start_ns,
        max(end_ns) AS end_ns,
        sum(end_ns - start_ns)::BIGINT AS running_ns,
        count(*) AS runs,
        any_value(api_start_ns) AS api_start_ns,
        any_value(api_end_ns) AS api_end_ns
    FROM run
    WHERE is_shared
    GROUP BY gpu_id, call_id
),

timed_launch AS (
    SELECT
        gpu_id,
        running_ns,
        runs,
        api_end_ns - api_start_ns AS call_ns,
        CASE WHEN api_end_ns IS NOT NULL THEN greatest(start_ns - api_end_ns, 0) END AS wait_ns
    FROM work
    WHERE is_within(start_ns, end_ns, $start_ns, $end_ns)
)

SELECT
    gpu_id,
    $soon_ns::BIGINT AS soon_ns,
    count(call_ns) AS launches,
    sum(runs)::BIGINT AS runs,
    coalesce(sum(runs) FILTER (WHERE call_ns IS NULL), 0)::BIGINT AS orphan_runs,
    coalesce(sum(call_ns), 0)::BIGINT AS call_ns,
    median(call_ns) AS call_med_ns,
    coalesce(sum(wait_ns), 0)::BIGINT AS wait_ns,
    median(wait_ns) AS wait_med_ns,
    max(wait_ns) AS wait_max_ns,
    count(*) FILTER (WHERE wait_ns <= $soon_ns) AS soon_launches,
    sum(running_ns)::BIGINT AS running_ns,
    median(running_ns) AS running_med_ns
FROM timed_launch
GROUP BY gpu_id
ORDER BY gpu_id ASC NULLS FIRST
