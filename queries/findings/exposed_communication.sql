-- Communication kernels (NCCL and the like) while the GPU runs nothing else.
--
-- Over 1 % of the part.
-- Needs  _kernel_ids
-- Finding
--     says  {count} communication kernels run for {total_ns}, {alone_ns} of it while nothing else runs.
--     do  Overlap them with compute (separate stream, gradient buckets) or send larger messages; `nsysql ranks` finds a late rank.
-- Columns
--     count     BIGINT  -- Launches.
--     alone_ns  BIGINT  -- Time in which nothing else runs.
SELECT
    kernel.part_id,
    kernel.gpu_id,
    'communication' AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    sum(kernel.alone_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'communication' AS claims,
    sum(kernel.count)::BIGINT AS count,
    sum(kernel.alone_ns)::BIGINT AS alone_ns
FROM _judged_kernel AS kernel
CROSS JOIN thresholds AS least
WHERE kernel.class = 'communication'
GROUP BY kernel.part_id, kernel.gpu_id, kernel.part_ns, least.communication_share
HAVING sum(kernel.alone_ns) > least.communication_share * kernel.part_ns
ORDER BY kernel.part_id ASC, saves_ns DESC, subject ASC
