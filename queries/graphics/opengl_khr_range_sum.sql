-- CPU time by text of OpenGL debug group.
--
-- A group without a text is named by its number. Groups that were never closed end at the latest timestamp of
-- any debug event. Texts whose total is not above zero are left out.
-- Needs  KHR_DEBUG_EVENTS
-- Columns
--     vulkan_marker_sum: time_pct, total_time_ns, instances, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     range          VARCHAR  -- [Range] Text or number of the group.
-- Same as  nsys stats --report opengl_khr_range_sum
WITH debug_group AS (
    SELECT
        text,
        CASE WHEN text IS NULL THEN group_id END AS group_id,
        dur_ns
    FROM opengl_group
    WHERE place = 'cpu'
)

SELECT
    unnest(total_ns(dur_ns)) AS total,
    count(*) AS instances,
    unnest(spread_ns(dur_ns)) AS spread,
    coalesce(text, group_id::VARCHAR) AS range
FROM debug_group
GROUP BY text, group_id
HAVING sum(dur_ns) > 0
ORDER BY sum(dur_ns) DESC, text ASC NULLS FIRST, group_id ASC NULLS FIRST
