-- CPU time by text of Vulkan debug marker.
--
-- Ranges whose total is not above zero are left out; NVIDIA includes them in the total of the shares.
-- Needs  VULKAN_DEBUG_API
-- Parameters
--     as_nsys    BOOLEAN = false  -- Shares of a total that includes the ranges left out.
-- Columns
--     usual: time_pct, total_time_ns
--     instances      BIGINT   -- [Instances] Number of ranges.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     range          VARCHAR  -- [Range] Text of the marker.
-- Same as  nsys stats --report vulkan_marker_sum
WITH range_text AS (
    SELECT
        text_id,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS instances,
        spread_ns(dur_ns) AS spread
    FROM debug_marker_range
    WHERE api = 'vulkan' AND text_id IS NOT NULL
    GROUP BY text_id
)

SELECT
    100 * total_time_ns
    / nullif(sum(CASE WHEN total_time_ns > 0 OR $as_nsys THEN total_time_ns END) OVER (), 0) AS time_pct,
    total_time_ns,
    instances,
    unnest(spread) AS spread,
    string.text AS range
FROM range_text
LEFT JOIN string ON range_text.text_id = string.id
QUALIFY total_time_ns > 0
ORDER BY total_time_ns DESC, range_text.text_id ASC NULLS FIRST
