-- Parts in which launches return only after their kernels end.
--
-- At least 20 kernels, 90 % of which end before the call that launches them returns, and take most of the time in the calls.
-- Needs  _kernel_ids, _api_call_ids
-- Engine  table
-- Columns
--     usual: part_id
--     count  BIGINT  -- Such kernels.
SELECT
    work.part_id,
    count(*) FILTER (WHERE work.end_ns <= work.api_end_ns) AS count
FROM _part_activity AS work
CROSS JOIN thresholds AS least
WHERE work.kind = 'kernel'
GROUP BY work.part_id, least.launch_gap_count, least.api_share
HAVING
    count(*) >= least.launch_gap_count
    AND count(*) FILTER (WHERE work.end_ns <= work.api_end_ns) >= least.api_share * count(*)
    AND 2 * sum(work.end_ns - work.start_ns) > sum(work.api_end_ns - work.api_start_ns)
