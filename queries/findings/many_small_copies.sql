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
    copy.part_id,
    copy.gpu_id,
    'small copies' AS subject,
    sum(copy.total_ns)::BIGINT AS total_ns,
    least(any_value(least.copy_overhead_ns) * sum(copy.count), sum(copy.exposed_ns))::BIGINT AS saves_ns,
    'about' AS bound,
    'likely' AS certainty,
    false AS once,
    'copy' AS claims,
    sum(copy.count)::BIGINT AS count
FROM _judged_copy AS copy
CROSS JOIN thresholds AS least
WHERE
    copy.bytes < least.small_copy_bytes AND NOT copy.is_migration
    AND copy.direction IN ('Host-to-Device', 'Device-to-Host')
GROUP BY copy.part_id, copy.gpu_id, least.small_copy_count, least.small_copy_ns
HAVING sum(copy.count) > least.small_copy_count AND sum(copy.total_ns) < least.small_copy_ns * sum(copy.count)
ORDER BY copy.part_id
