-- Double precision on a GPU with few units for it.
--
-- GPUs with a unit for double precision for 32 or 64 for single precision. Of matrix products the bound is the ratio of the
-- peaks; whether other kernels wait for these units or for memory is not recorded, so what they would save is unknown.
-- Needs  _kernel_ids
-- Finding
--     says  {subject} computes in double precision: {total_ns}, {count} times.
--     do  Use single precision if it suffices.
-- Columns
--     count  BIGINT   -- Launches.
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
    sum(kernel.count)::BIGINT AS count
FROM _judged_kernel AS kernel
CROSS JOIN thresholds AS least
INNER JOIN _gpu_peak AS peak ON kernel.gpu_id IS NOT DISTINCT FROM peak.gpu_id
WHERE kernel.precision = 'fp64' AND peak.fp64_ratio < least.fp64_ratio
GROUP BY kernel.part_id, kernel.gpu_id, kernel.name
ORDER BY kernel.part_id ASC, saves_ns DESC, subject ASC
