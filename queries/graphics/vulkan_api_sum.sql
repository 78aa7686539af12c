-- CPU time by Vulkan function.
--
-- Batches of submitted work (class 93) are left out.
-- Needs  vulkan_call
-- Columns
--     usual: time_pct, total_time_ns, num_calls, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     name           VARCHAR  -- [Name] Function, without version suffix.
-- Same as  nsys stats --report vulkan_api_sum
SELECT
    unnest(total_ns(call.dur_ns)) AS total,
    count(*) AS num_calls,
    unnest(spread_ns(call.dur_ns)) AS spread,
    (SELECT min(_api_name.name) FROM _api_name WHERE _api_name.id = call.name_id) AS name
FROM vulkan_call AS call
WHERE call.event_class = 53
GROUP BY call.name_id
ORDER BY sum(call.dur_ns) DESC, call.name_id ASC NULLS FIRST
