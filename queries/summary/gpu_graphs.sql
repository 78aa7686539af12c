-- A CUDA graph that was traced as a whole, on a GPU: its runs and their time.
--
-- Needs  graph_trace
-- Parameters
--     gpu_copies: start_ns, end_ns, per_process
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
