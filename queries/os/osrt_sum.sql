-- CPU time by OS runtime function.
--
-- Calls of all threads and nesting levels; calls that began before or ended after the capture are left out.
-- Needs  _os_call_ids
-- Columns
--     usual: time_pct, total_time_ns, num_calls, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     name           VARCHAR  -- [Name] Function.
-- Same as  nsys stats --report osrt_sum
SELECT
    unnest(total_ns(call.dur_ns)) AS total,
    count(*) AS num_calls,
    unnest(spread_ns(call.dur_ns)) AS spread,
    (SELECT min(string.text) FROM string WHERE string.id = call.name_id) AS name
FROM _os_call_ids AS call
GROUP BY call.name_id
ORDER BY sum(call.dur_ns) DESC, call.name_id ASC NULLS FIRST
