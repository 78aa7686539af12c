-- CPU time by OS runtime function.
--
-- Calls of all threads and nesting levels; those that began before or ended after the capture are left out.
-- Needs  _os_call_ids
-- Columns
--     usual: time_pct, total_time_ns, num_calls, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     name           VARCHAR  -- [Name] Function.
-- Same as  nsys stats --report osrt_sum
WITH function AS (
    SELECT
        name_id,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS num_calls,
        spread_ns(dur_ns) AS spread
    FROM _os_call_ids
    GROUP BY name_id
)

SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    total_time_ns,
    num_calls,
    unnest(spread) AS spread,
    string.text AS name
FROM function
LEFT JOIN string ON function.name_id = string.id
ORDER BY total_time_ns DESC, name_id ASC NULLS FIRST
