-- Communication kernels with nothing beside them.
--
-- NCCL and the like.
-- Needs  _kernel_ids
-- Finding
--     says  {count} communication kernels run for {total_ns}, mostly alone.
--     do  Overlap them: their own stream, buckets; larger messages; `nsysql ranks` finds a late rank.
-- Columns
--     count  BIGINT   -- Launches.
SELECT
    part.part_id,
    part.gpu_id,
    any_value('communication') AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    (sum(kernel.alone_ns * (1)))::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'communication' AS claims,
    sum(kernel.count)::BIGINT AS count
FROM part
INNER JOIN part_kernel AS kernel ON part.part_id = kernel.part_id
LEFT JOIN gpu ON part.gpu_id = gpu.gpu_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND kernel.class = 'communication'
GROUP BY part.part_id, part.gpu_id
HAVING sum(kernel.alone_ns) > 0.01 * any_value(part.length_ns)
ORDER BY part.part_id ASC, saves_ns DESC, subject ASC
