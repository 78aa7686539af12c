-- Kernels that change the layout of data.
--
-- Over 5 % of the busy time.
-- Needs  _kernel_ids
-- Finding
--     says  {count} layout conversions take {total_ns}.
--     do  Keep one layout: channels_last for convolutions.
-- Columns
--     count  BIGINT   -- Launches.
SELECT
    part.part_id,
    part.gpu_id,
    any_value('layout') AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    (sum(kernel.alone_ns * (1)))::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'layout' AS claims,
    sum(kernel.count)::BIGINT AS count
FROM part
INNER JOIN part_kernel AS kernel ON part.part_id = kernel.part_id
LEFT JOIN gpu ON part.gpu_id = gpu.gpu_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND kernel.class = 'layout'
GROUP BY part.part_id, part.gpu_id
HAVING sum(kernel.total_ns) > 0.05 * any_value(part.busy_ns)
ORDER BY part.part_id ASC, saves_ns DESC, subject ASC
