-- Many small copies.
--
-- Over 100 copies below 64 kB with a mean below 10 us; about 3 us could be saved of each.
-- Needs  memcpy
-- Finding
--     says  {count} copies of less than 64 kB: {total_ns}.
--     do  Batch them into one copy.
-- Columns
--     count  BIGINT   -- Copies.
SELECT
    part.part_id,
    part.gpu_id,
    'small copies' AS subject,
    sum(copy.total_ns)::BIGINT AS total_ns,
    (least(3000 * sum(copy.count), sum(copy.exposed_ns)))::BIGINT AS saves_ns,
    'about' AS bound,
    'likely' AS certainty,
    false AS once,
    'copy' AS claims,
    sum(copy.count)::BIGINT AS count
FROM part
INNER JOIN part_copy AS copy ON part.part_id = copy.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND copy.bytes < 65536 AND NOT copy.is_migration
    AND copy.direction IN ('Host-to-Device', 'Device-to-Host')
GROUP BY part.part_id, part.gpu_id
HAVING sum(copy.count) > 100 AND sum(copy.total_ns) < 10000 * sum(copy.count)
ORDER BY part.part_id
