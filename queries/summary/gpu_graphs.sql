-- A CUDA graph that was traced as a whole, on a GPU: its runs and their time.
--
-- Needs  graph_trace
-- Parameters
--     start_ns     BIGINT = NULL    -- Narrow to what is at or after this time; times are clipped.
--     end_ns       BIGINT = NULL    -- Narrow to what is before this time; times are clipped.
--     per_process  BOOLEAN = false  -- Keep each process's devices apart; gpu_id is then pid * 1000 + ordinal.
-- Columns
--     gpu_id       BIGINT  -- Physical GPU.
--     graph_id     BIGINT  -- Graph.
--     run_count    BIGINT  -- Its runs.
--     total_ns     BIGINT  -- Their durations.
--     last_end_ns  BIGINT  -- End of the last one.
SELECT
    gpu_id,
    detail_id::BIGINT AS graph_id,
    count(*) AS run_count,
    sum(within_ns(start_ns, end_ns, $start_ns, $end_ns))::BIGINT AS total_ns,
    max(end_ns) AS last_end_ns
FROM _activity_launch
WHERE
    kind = 'graph'
    AND is_within(start_ns, end_ns, $start_ns, $end_ns)
GROUP BY gpu_id, detail_id
ORDER BY gpu_id ASC, total_ns DESC, graph_id ASC
