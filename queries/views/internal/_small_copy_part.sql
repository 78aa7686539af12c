-- Parts with many copies that are mostly latency, or pages of unified memory: over 100, two in a step or more.
--
-- Latency if their median is below 10 us. Short gaps before copies are about their number there: the host is not too slow
-- for what it has to do.
-- Needs  _gpu_work_ids
-- Engine  table
-- Columns
--     usual: part_id
--     is_migrating  BOOLEAN  -- Most were not launched: unified memory migrates.
SELECT
    part_id,
    2 * count(call_id) < count(*) AS is_migrating
FROM _part_activity
CROSS JOIN thresholds AS least
WHERE kind = 'memcpy'
GROUP BY part_id, least.small_copy_count, least.small_copy_ns
HAVING
    count(*) > least.small_copy_count
    AND count(*) >= 2 * count(DISTINCT step)
    AND (median(end_ns - start_ns) < least.small_copy_ns OR is_migrating)
