-- Launch, queue and execution times by kernel name, launching thread, device and API function.
--
-- Pairs as in cuda_kern_exec_trace. T is the total from the call's start to the later end, A the API call,
-- Q the queue (only where the kernel started after the call returned), K the kernel.
-- Needs  _kernel_ids, _api_call_ids, NVTX_EVENTS if nvtx_name
-- First  kernel_name, count, t_avg_ns, a_avg_ns, q_avg_ns, k_avg_ns
-- Parameters
--     name       ENUM('demangled', 'base', 'mangled') = 'demangled'  -- Which of a kernel's names; mangled falls back on demangled.
--     nvtx_name  BOOLEAN = false  -- Name kernels range/kernel, by the innermost NVTX range around their launching call.
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
        call.start_ns AS api_start_ns,
        call.end_ns AS api_end_ns,
        call.dur_ns AS api_dur_ns,
        call.row_id AS api_row_id,
        call.pid,
        call.tid,
        call.name_id AS api_name_id,
        _kernel_ids.row_id,
        _kernel_ids.start_ns,
        _kernel_ids.end_ns,
        _kernel_ids.dur_ns,
        _kernel_ids.device_id,
        name_id_of($name, _kernel_ids.name_id, _kernel_ids.short_name_id, _kernel_ids.mangled_name_id) AS name_id
    FROM _kernel_ids
    INNER JOIN _api_call_ids AS call
        ON
            _kernel_ids.process_id = call.process_id
            AND _kernel_ids.correlation_id = call.correlation_id
),

timed_pair AS (
    SELECT
        row_id,
        pid,
        tid,
        device_id,
        api_name_id,
        name_id,
        dur_ns,
        api_dur_ns,
        CASE WHEN start_ns >= api_end_ns THEN start_ns - api_end_ns END AS queue_dur_ns,
        greatest(api_end_ns, end_ns) - api_start_ns AS total_dur_ns
    FROM pair
),

launch_group AS (
    SELECT
        timed_pair.pid,
        timed_pair.tid,
        timed_pair.device_id,
        _api_name.name AS api_name,
        CASE WHEN $nvtx_name THEN coalesce(around.text || '/', '') || string.text ELSE string.text END AS kernel_name,
        count(*) AS count,
        count(timed_pair.queue_dur_ns) AS q_count,
        avg(timed_pair.total_dur_ns) AS t_avg_ns,
        median(timed_pair.total_dur_ns) AS t_med_ns,
        min(timed_pair.total_dur_ns) AS t_min_ns,
        max(timed_pair.total_dur_ns) AS t_max_ns,
        coalesce(stddev_samp(timed_pair.total_dur_ns), 0) AS t_stddev_ns,
        avg(timed_pair.api_dur_ns) AS a_avg_ns,
        median(timed_pair.api_dur_ns) AS a_med_ns,
        min(timed_pair.api_dur_ns) AS a_min_ns,
        max(timed_pair.api_dur_ns) AS a_max_ns,
        coalesce(stddev_samp(timed_pair.api_dur_ns), 0) AS a_stddev_ns,
        avg(timed_pair.queue_dur_ns) AS q_avg_ns,
        median(timed_pair.queue_dur_ns) AS q_med_ns,
        min(timed_pair.queue_dur_ns) AS q_min_ns,
        max(timed_pair.queue_dur_ns) AS q_max_ns,
        coalesce(stddev_samp(timed_pair.queue_dur_ns), 0) AS q_stddev_ns,
        avg(timed_pair.dur_ns) AS k_avg_ns,
        median(timed_pair.dur_ns) AS k_med_ns,
        min(timed_pair.dur_ns) AS k_min_ns,
        max(timed_pair.dur_ns) AS k_max_ns,
        coalesce(stddev_samp(timed_pair.dur_ns), 0) AS k_stddev_ns
    FROM timed_pair
    LEFT JOIN _api_name ON timed_pair.api_name_id = _api_name.id
    LEFT JOIN string ON timed_pair.name_id = string.id
    LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND timed_pair.row_id = around.row_id
    GROUP BY timed_pair.pid, timed_pair.tid, timed_pair.device_id, _api_name.name, kernel_name
)

SELECT
    pid,
    tid,
    device_id AS dev_id,
    count,
    q_count,
    t_avg_ns,
    t_med_ns,
    t_min_ns,
    t_max_ns,
    t_stddev_ns,
    a_avg_ns,
    a_med_ns,
    a_min_ns,
    a_max_ns,
    a_stddev_ns,
    q_avg_ns,
    q_med_ns,
    q_min_ns,
    q_max_ns,
    q_stddev_ns,
    k_avg_ns,
    k_med_ns,
    k_min_ns,
    k_max_ns,
    k_stddev_ns,
    api_name,
    kernel_name
FROM launch_group
ORDER BY
    round(t_avg_ns * 10) DESC,
    pid ASC,
    tid ASC,
    device_id ASC,
    api_name ASC NULLS FIRST,
    kernel_name ASC NULLS FIRST
