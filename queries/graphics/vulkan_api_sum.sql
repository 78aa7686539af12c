-- CPU time by Vulkan function.
--
-- Batches of submitted work (class 93) are left out.
-- Needs  vulkan_call
-- Columns
--     usual: time_pct, total_time_ns, num_calls, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     name           VARCHAR  -- [Name] Function, without version suffix.
-- Same as  nsys stats --report vulkan_api_sum
WITH function AS (
    SELECT
        name_id,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS num_calls,
        spread_ns(dur_ns) AS spread
    FROM vulkan_call
    WHERE event_class = 53
    GROUP BY name_id
)

SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    total_time_ns,
    num_calls,
    unnest(spread) AS spread,
    _api_name.name
FROM function
LEFT JOIN _api_name ON function.name_id = _api_name.id
ORDER BY total_time_ns DESC, name_id ASC NULLS FIRST
