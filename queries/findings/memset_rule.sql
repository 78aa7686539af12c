-- Time of memsets.
--
-- Over 10 % of the busy time.
-- Needs  memset
-- Finding
--     says  Memsets take {total_ns}.
--     do  Set fewer bytes, set them once, or let the kernel set them.
SELECT
    copy.part_id,
    copy.gpu_id,
    'memset' AS subject,
    sum(copy.total_ns)::BIGINT AS total_ns,
    sum(copy.exposed_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'copy' AS claims
FROM _judged_copy AS copy
WHERE copy.direction = 'Memset'
GROUP BY copy.part_id, copy.gpu_id, copy.busy_ns
HAVING sum(copy.total_ns) > MEMSET_SHARE * copy.busy_ns
ORDER BY copy.part_id
