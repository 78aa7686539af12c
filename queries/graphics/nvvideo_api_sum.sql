-- CPU time by function of NVIDIA's video encoder, video decoder and JPEG decoder.
-- Needs  nvvideo_call
-- Columns
--     usual: time_pct, total_time_ns, num_calls, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     event_type     VARCHAR  -- [Event Type] Encoder, Decoder or JPEG.
--     name           VARCHAR  -- [Name] Function, without version suffix.
-- Same as  nsys stats --report nvvideo_api_sum
WITH function AS (
    SELECT
        engine,
        name_id,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS num_calls,
        spread_ns(dur_ns) AS spread
    FROM nvvideo_call
    GROUP BY engine, name_id
)

SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    total_time_ns,
    num_calls,
    unnest(spread) AS spread,
    engine AS event_type,
    _api_name.name
FROM function
LEFT JOIN _api_name ON function.name_id = _api_name.id
ORDER BY total_time_ns DESC, list_position(['Encoder', 'Decoder', 'JPEG'], engine) ASC, name_id ASC NULLS FIRST
