-- Double precision on a GPU with few units for it.
--
-- By the ratio of peaks.
-- Needs  _kernel_ids
-- Finding
--     says  {subject} computes in double precision: {total_ns}, {count} times.
--     do  Use single precision if it suffices.
-- Columns
--     count  BIGINT   -- Launches.
SELECT
    part.part_id,
    part.gpu_id,
    kernel.name AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    (sum(kernel.alone_ns * (1 - peak.fp64_ratio)))::BIGINT AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'kernel' AS claims,
    sum(kernel.count)::BIGINT AS count
FROM part
INNER JOIN part_kernel AS kernel ON part.part_id = kernel.part_id
LEFT JOIN gpu ON part.gpu_id = gpu.gpu_id
INNER JOIN _gpu_peak AS peak ON part.gpu_id IS NOT DISTINCT FROM peak.gpu_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND kernel.precision = 'fp64' AND peak.fp64_ratio < 0.1
GROUP BY part.part_id, part.gpu_id, kernel.name
ORDER BY part.part_id ASC, saves_ns DESC, subject ASC
