-- A GPU: how launches of kernels and graphs relate to their runs, so whether CPU or GPU is ahead.
--
-- A launch is an API call with the kernels that it started, joined by process and correlation id; a graph
-- launch traced by nodes has many, one traced whole has its run instead. It waits from the call's return to
-- the start of its first kernel, 0 where that started before. Launches that wait long stand in a queue behind other work: the CPU is ahead. Launches
-- that hardly wait find the GPU free: it waits for the CPU.
-- Needs  kernel_record or graph_trace
-- Parameters
--     soon_ns          BIGINT = 20000  -- A wait up to this is no queue, but the time that any launch takes.
-- Columns
--     gpu_id           BIGINT  -- Physical GPU.
--     soon_ns          BIGINT  -- The parameter.
--     launches         BIGINT  -- API calls that launched kernels or graphs.
--     runs             BIGINT  -- Kernels, and graphs traced whole, launched by a recorded call or not.
--     orphan_runs      BIGINT  -- Those whose call was not recorded; they count below only as running.
--     call_ns          BIGINT  -- Time in launch calls on the CPU, all threads added.
--     call_med_ns      DOUBLE  -- Median call.
--     wait_ns          BIGINT  -- Waiting, all launches added; they wait side by side.
--     wait_med_ns      DOUBLE  -- Median wait.
--     wait_max_ns      BIGINT  -- Longest wait.
--     soon_launches    BIGINT  -- Launches that waited no longer than soon_ns.
--     running_ns       BIGINT  -- Running on the GPU, all of them added; they can overlap.
--     running_med_ns   DOUBLE  -- Median launch, its kernels added.
WITH kernel_work AS (
    SELECT
        coalesce(gpu_of_device.gpu_id, kernel_record.device_id) AS gpu_id,
        kernel_record.process_id,
        kernel_record.correlation_id,
        kernel_record.start_ns,
        kernel_record.dur_ns,
        kernel_record.graph_node_id
    FROM kernel_record
    LEFT JOIN gpu_of_device
        ON
            kernel_record.pid = gpu_of_device.pid
            AND kernel_record.device_id = gpu_of_device.device_id
),

work AS (
    SELECT
        gpu_id,
        process_id,
        correlation_id,
        start_ns,
        dur_ns AS running_ns,
        1 AS runs
    FROM kernel_work
    WHERE graph_node_id IS NULL
    UNION ALL
    SELECT
        gpu_id,
        process_id,
        correlation_id,
        min(start_ns) AS start_ns,
        sum(dur_ns)::BIGINT AS running_ns,
        count(*) AS runs
    FROM kernel_work
    WHERE graph_node_id IS NOT NULL
    GROUP BY gpu_id, process_id, correlation_id
    UNION ALL
    SELECT
        gpu_id,
        process_id,
        correlation_id,
        start_ns,
        dur_ns AS running_ns,
        1 AS runs
    FROM graph_trace
),

launch AS (
    SELECT
        work.gpu_id,
        work.running_ns,
        work.runs,
        call.dur_ns AS call_ns,
        CASE WHEN call.dur_ns IS NOT NULL THEN greatest(work.start_ns - call.end_ns, 0) END AS wait_ns
    FROM work
    LEFT JOIN api_call_record AS call
        ON
            work.process_id = call.process_id
            AND work.correlation_id = call.correlation_id
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
FROM launch
GROUP BY gpu_id
ORDER BY gpu_id ASC NULLS FIRST
