-- Parts with many copies that are mostly latency: over 100, their median below 10 us.
--
-- Short gaps before copies are about their number there: the host is not too slow for what it has to do.
-- Needs  _gpu_work_ids
-- Engine  table
-- Columns
--     usual: part_id
SELECT part_id
FROM _part_activity
CROSS JOIN thresholds AS least
WHERE kind = 'memcpy'
GROUP BY part_id, least.small_copy_count, least.small_copy_ns
HAVING count(*) > least.small_copy_count AND median(end_ns - start_ns) < least.small_copy_ns
