-- Double precision on a GPU with few units for it.
--
-- On GPUs with one FP64 unit per 32 or 64 FP32 units; kernels whose names mention double precision, in launches with at
-- least four warps for each SM: with fewer, latency limits them. The bound of matrix
-- products is the ratio of the peaks. What other kernels would save is unknown: the export does not show whether they wait
-- for these units or for memory.
-- Needs  _kernel_ids
-- Finding
--     says  {subject} computes in double precision, judging by its name and arguments: {total_ns}, {count} times. {gpu_name} has one FP64 unit per {float_units} FP32 units.
--     do if is_matrix  Use single precision if it suffices.
--     do  Use single precision if it suffices; Nsight Compute shows whether these units or memory limit it.
-- Columns
--     count        BIGINT   -- Launches.
--     gpu_name     VARCHAR  -- The GPU.
--     float_units  BIGINT   -- Its FP32 units per FP64 unit.
--     is_matrix    BOOLEAN  -- It is a matrix product.
SELECT
    kernel.part_id,
    kernel.gpu_id,
    kernel.name AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    sum(kernel.alone_ns * CASE WHEN kernel.class = 'matrix' THEN 1 - peak.fp64_ratio ELSE 1 END)::BIGINT AS saves_ns,
    CASE WHEN bool_and(kernel.class = 'matrix') THEN 'at most' ELSE 'unknown' END AS bound,
    'possible' AS certainty,
    false AS once,
    'kernel' AS claims,
    sum(kernel.count)::BIGINT AS count,
    coalesce(gpu.name, 'The GPU') AS gpu_name,
    round(1 / peak.fp64_ratio)::BIGINT AS float_units,
    bool_and(kernel.class = 'matrix') AS is_matrix
FROM _judged_kernel AS kernel
INNER JOIN _gpu_peak AS peak ON kernel.gpu_id IS NOT DISTINCT FROM peak.gpu_id
LEFT JOIN gpu ON kernel.gpu_id = gpu.gpu_id
WHERE
    kernel.precision = 'fp64'
    AND peak.fp64_ratio < FP64_RATIO
    AND coalesce(kernel.block_count * ceil(kernel.thread_count / WARP_THREADS) >= SM_WARPS * kernel.sm_count, true)
GROUP BY kernel.part_id, kernel.gpu_id, kernel.name, gpu.name, peak.fp64_ratio
ORDER BY kernel.part_id ASC, saves_ns DESC, subject ASC
