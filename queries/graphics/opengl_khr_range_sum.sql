-- CPU time by text of OpenGL debug group.
--
-- A group without a text goes by its number. Groups that were never closed end at the latest timestamp of
-- any debug event. Texts whose total is not above zero are left out.
-- Needs  KHR_DEBUG_EVENTS
-- Columns
--     vulkan_marker_sum: time_pct, total_time_ns, instances, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     range          VARCHAR  -- [Range] Text or number of the group.
-- Same as  nsys stats --report opengl_khr_range_sum
WITH group_text AS (
    SELECT
        text,
        CASE WHEN text IS NULL THEN group_id END AS group_id,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS instances,
        spread_ns(dur_ns) AS spread
    FROM opengl_group
    WHERE place = 'cpu'
    GROUP BY ALL
    HAVING sum(dur_ns) > 0
)

SELECT
    100 * total_time_ns / sum(total_time_ns) OVER () AS time_pct,
    total_time_ns,
    instances,
    unnest(spread) AS spread,
    coalesce(text, group_id::VARCHAR) AS range
FROM group_text
ORDER BY total_time_ns DESC, text ASC NULLS FIRST, group_id ASC NULLS FIRST
