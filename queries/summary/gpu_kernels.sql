-- A kernel name on a GPU, or on all of them together: its time, and how much of it is small or short.
--
-- Durations are clipped to the interval. Overlapping kernels each count in full, so the times of a GPU can add up to
-- more than its busy time.
-- Needs  _kernel_ids
-- Parameters
--     start_ns     BIGINT = NULL    -- Start of the interval to analyze; durations are clipped.
--     end_ns       BIGINT = NULL    -- End of the interval to analyze; durations are clipped.
--     usual: gpu, per_process
--     together     BOOLEAN = false  -- Add up all GPUs; gpu_id is then NULL.
-- Columns
--     gpu_id            BIGINT   -- Physical GPU.
--     name              VARCHAR  -- Kernel name (demangled).
--     kernel_count      BIGINT   -- Kernels of that name.
--     total_ns          BIGINT   -- Their durations.
--     median_ns         DOUBLE   -- Their median.
--     shortest_ns       BIGINT   -- The shortest.
--     longest_ns        BIGINT   -- The longest.
--     small_count       BIGINT   -- Those with fewer blocks than the GPU has SMs; NULL if the export does not say.
--     small_ns          BIGINT   -- Their durations.
--     is_communication  BOOLEAN  -- A communication kernel (view communication_kernel).
--     last_end_ns       BIGINT   -- End of the last one.
WITH kernel_run AS (
    SELECT
        CASE WHEN NOT $together THEN gpu_id END AS gpu_id,
        detail_id,
        is_communication,
        is_small,
        end_ns,
        within_ns(start_ns, end_ns, $start_ns, $end_ns) AS dur_ns
    FROM _activity_launch
    WHERE
        kind = 'kernel'
        AND is_asked(start_ns, end_ns, $start_ns, $end_ns, gpu_id, $gpu)
)

SELECT
    run.gpu_id,
    (SELECT min(string.text) FROM string WHERE string.id = run.detail_id) AS name,
    count(*) AS kernel_count,
    sum(run.dur_ns)::BIGINT AS total_ns,
    median(run.dur_ns) AS median_ns,
    min(run.dur_ns) AS shortest_ns,
    max(run.dur_ns) AS longest_ns,
    if(count(run.is_small) > 0, count(*) FILTER (WHERE run.is_small), NULL) AS small_count,
    if(count(run.is_small) > 0, coalesce(sum(run.dur_ns) FILTER (WHERE run.is_small), 0), NULL)::BIGINT AS small_ns,
    run.is_communication,
    max(run.end_ns) AS last_end_ns
FROM kernel_run AS run
GROUP BY run.gpu_id, run.detail_id, run.is_communication
ORDER BY run.gpu_id ASC, total_ns DESC, name ASC NULLS FIRST, kernel_count ASC
