-- GPU time by kind of memory operation.
--
-- Copies by direction, unified-memory migrations included, and memsets. Copies of an unknown direction are
-- left out, as NVIDIA does.
-- Needs  memcpy or memset
-- Columns
--     usual: time_pct, total_time_ns
--     count          BIGINT   -- [Count] Number of operations.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     operation      VARCHAR  -- [Operation] Such as [CUDA memcpy Host-to-Device].
-- Same as  nsys stats --report cuda_gpu_mem_time_sum
WITH memory_operation AS (
    SELECT
        operation,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS count,
        spread_ns(dur_ns) AS spread
    FROM _gpu_memory_operation
    GROUP BY operation
)

SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    total_time_ns,
    count,
    unnest(spread) AS spread,
    operation
FROM memory_operation
ORDER BY total_time_ns DESC, operation ASC
