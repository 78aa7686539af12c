-- Memory that is set.
--
-- Over 10 % of the busy time.
-- Needs  memcpy
-- Finding
--     says  Memsets take {total_ns}.
--     do  Set fewer bytes, once, or in the kernel.
SELECT
    part.part_id,
    part.gpu_id,
    'memset' AS subject,
    sum(copy.total_ns)::BIGINT AS total_ns,
    sum(copy.exposed_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'copy' AS claims
FROM part
INNER JOIN part_copy AS copy ON part.part_id = copy.part_id
WHERE part.kind IN ('series', 'rest', 'work') AND copy.direction = 'Memset'
GROUP BY part.part_id, part.gpu_id, part.busy_ns
HAVING sum(copy.total_ns) > 0.1 * part.busy_ns
ORDER BY part.part_id
