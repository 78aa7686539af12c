-- Launch, queue and execution times by kernel name, launching thread, device and API function.
--
-- Pairs as in cuda_kern_exec_trace. T is the total from the call's start to the later of the two ends, A the
-- API call, Q the queue (only if the kernel started after the call returned), K the kernel.
-- Needs  _kernel_ids, _api_call_ids, NVTX_EVENTS if nvtx_name
-- First  kernel_name, count, t_avg_ns, a_avg_ns, q_avg_ns, k_avg_ns
-- Engine  skip kernel_nvtx_range unless $nvtx_name
-- Parameters
--     usual: name, nvtx_name
-- Columns
--     pid              BIGINT   -- [PID] Process of the calls.
--     tid              BIGINT   -- [TID] Thread of the calls.
--     dev_id           BIGINT   -- [DevId] CUDA ordinal within the process.
--     count            BIGINT   -- [Count] Kernels.
--     q_count          BIGINT   -- [QCount] Kernels that started after the call returned.
--     t_avg_ns         DOUBLE   -- [TAvg (ns)] Mean total time.
--     t_med_ns         DOUBLE   -- [TMed (ns)] Median total time.
--     t_min_ns         BIGINT   -- [TMin (ns)] Shortest total time.
--     t_max_ns         BIGINT   -- [TMax (ns)] Longest total time.
--     t_stddev_ns      DOUBLE   -- [TStdDev (ns)] Sample standard deviation of total time.
--     a_avg_ns         DOUBLE   -- [AAvg (ns)] Mean API call.
--     a_med_ns         DOUBLE   -- [AMed (ns)] Median API call.
--     a_min_ns         BIGINT   -- [AMin (ns)] Shortest API call.
--     a_max_ns         BIGINT   -- [AMax (ns)] Longest API call.
--     a_stddev_ns      DOUBLE   -- [AStdDev (ns)] Sample standard deviation of API call.
--     q_avg_ns         DOUBLE   -- [QAvg (ns)] Mean queue time.
--     q_med_ns         DOUBLE   -- [QMed (ns)] Median queue time.
--     q_min_ns         BIGINT   -- [QMin (ns)] Shortest queue time.
--     q_max_ns         BIGINT   -- [QMax (ns)] Longest queue time.
--     q_stddev_ns      DOUBLE   -- [QStdDev (ns)] Sample standard deviation of queue time.
--     k_avg_ns         DOUBLE   -- [KAvg (ns)] Mean kernel.
--     k_med_ns         DOUBLE   -- [KMed (ns)] Median kernel.
--     k_min_ns         BIGINT   -- [KMin (ns)] Shortest kernel.
--     k_max_ns         BIGINT   -- [KMax (ns)] Longest kernel.
--     k_stddev_ns      DOUBLE   -- [KStdDev (ns)] Sample standard deviation of kernel.
--     api_name         VARCHAR  -- [API Name] Function, without version suffix.
--     kernel_name      VARCHAR  -- [Kernel Name] Kernel.
-- Same as  nsys stats --report cuda_kern_exec_sum
WITH pair AS (
    SELECT
        call.pid,
        call.tid,
        kernel.device_id,
        call.name_id AS api_name_id,
        name_id_of($name, kernel.name_id, kernel.short_name_id, kernel.mangled_name_id) AS name_id,
        kernel.row_id,
        greatest(call.end_ns, kernel.end_ns) - call.start_ns AS total_ns,
        call.dur_ns AS api_ns,
        CASE WHEN kernel.start_ns >= call.end_ns THEN kernel.start_ns - call.end_ns END AS queue_ns,
        kernel.dur_ns AS kernel_ns
    FROM _kernel_ids AS kernel
    INNER JOIN _api_call_ids AS call
        ON kernel.process_id = call.process_id AND kernel.correlation_id = call.correlation_id
)

SELECT
    pair.pid,
    pair.tid,
    pair.device_id AS dev_id,
    count(*) AS count,
    count(pair.queue_ns) AS q_count,
    avg(pair.total_ns) AS t_avg_ns,
    median(pair.total_ns) AS t_med_ns,
    min(pair.total_ns) AS t_min_ns,
    max(pair.total_ns) AS t_max_ns,
    coalesce(stddev_samp(pair.total_ns), 0) AS t_stddev_ns,
    avg(pair.api_ns) AS a_avg_ns,
    median(pair.api_ns) AS a_med_ns,
    min(pair.api_ns) AS a_min_ns,
    max(pair.api_ns) AS a_max_ns,
    coalesce(stddev_samp(pair.api_ns), 0) AS a_stddev_ns,
    avg(pair.queue_ns) AS q_avg_ns,
    median(pair.queue_ns) AS q_med_ns,
    min(pair.queue_ns) AS q_min_ns,
    max(pair.queue_ns) AS q_max_ns,
    coalesce(stddev_samp(pair.queue_ns), 0) AS q_stddev_ns,
    avg(pair.kernel_ns) AS k_avg_ns,
    median(pair.kernel_ns) AS k_med_ns,
    min(pair.kernel_ns) AS k_min_ns,
    max(pair.kernel_ns) AS k_max_ns,
    coalesce(stddev_samp(pair.kernel_ns), 0) AS k_stddev_ns,
    _api_name.name AS api_name,
    CASE WHEN $nvtx_name THEN coalesce(around.text || '/', '') || string.text ELSE string.text END AS kernel_name
FROM pair
LEFT JOIN _api_name ON pair.api_name_id = _api_name.id
LEFT JOIN string ON pair.name_id = string.id
LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND pair.row_id = around.row_id
GROUP BY pair.pid, pair.tid, pair.device_id, _api_name.name, kernel_name
ORDER BY
    round(t_avg_ns * 10) DESC,
    pair.pid ASC,
    pair.tid ASC,
    pair.device_id ASC,
    api_name ASC NULLS FIRST,
    kernel_name ASC NULLS FIRST
