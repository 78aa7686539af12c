-- Bytes moved or set on the GPU, by kind of memory operation.
--
-- Copies by direction, including unified-memory migrations, and memsets. Copies of an unknown direction
-- are left out, as in nsys.
-- Needs  memcpy or memset
-- Columns
--     total_bytes   BIGINT   -- [Total (MB)] Sum of sizes.
--     count         BIGINT   -- [Count] Number of operations.
--     avg_bytes     DOUBLE   -- [Avg (MB)] Mean size.
--     med_bytes     DOUBLE   -- [Med (MB)] Median size.
--     min_bytes     BIGINT   -- [Min (MB)] Smallest.
--     max_bytes     BIGINT   -- [Max (MB)] Largest.
--     stddev_bytes  DOUBLE   -- [StdDev (MB)] Sample standard deviation; 0 for a single one.
--     operation     VARCHAR  -- [Operation] Such as [CUDA memcpy Host-to-Device].
--     middle_bytes  BIGINT   -- Size in the middle; the smaller if there are two.
-- Same as  nsys stats --report cuda_gpu_mem_size_sum
SELECT
    sum(bytes)::BIGINT AS total_bytes,
    count(*) AS count,
    avg(bytes) AS avg_bytes,
    median(bytes) AS med_bytes,
    min(bytes) AS min_bytes,
    max(bytes) AS max_bytes,
    coalesce(stddev_samp(bytes), 0) AS stddev_bytes,
    operation,
    quantile_disc(bytes, 0.5) AS middle_bytes
FROM _gpu_memory_operation
GROUP BY operation
ORDER BY total_bytes DESC, operation ASC
