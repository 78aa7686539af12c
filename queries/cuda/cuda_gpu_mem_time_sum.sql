-- GPU time by kind of memory operation.
--
-- Copies by direction, including unified-memory migrations, and memsets. Copies of an unknown direction are
-- left out, as in nsys.
-- Needs  memcpy or memset
-- Columns
--     usual: time_pct, total_time_ns
--     count          BIGINT   -- [Count] Number of operations.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     operation      VARCHAR  -- [Operation] Such as [CUDA memcpy Host-to-Device].
-- Same as  nsys stats --report cuda_gpu_mem_time_sum
SELECT
    unnest(total_ns(dur_ns)) AS total,
    count(*) AS count,
    unnest(spread_ns(dur_ns)) AS spread,
    operation
FROM _gpu_memory_operation
GROUP BY operation
ORDER BY sum(dur_ns) DESC, operation ASC
