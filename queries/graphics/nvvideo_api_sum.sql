-- CPU time by function of NVIDIA's video encoder, video decoder and JPEG decoder.
-- Needs  nvvideo_call
-- Columns
--     usual: time_pct, total_time_ns, num_calls, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     event_type     VARCHAR  -- [Event Type] Encoder, Decoder or JPEG.
--     name           VARCHAR  -- [Name] Function, without version suffix.
-- Same as  nsys stats --report nvvideo_api_sum
SELECT
    unnest(total_ns(call.dur_ns)) AS total,
    count(*) AS num_calls,
    unnest(spread_ns(call.dur_ns)) AS spread,
    call.engine AS event_type,
    (SELECT min(_api_name.name) FROM _api_name WHERE _api_name.id = call.name_id) AS name
FROM nvvideo_call AS call
GROUP BY call.engine, call.name_id
ORDER BY
    sum(call.dur_ns) DESC,
    list_position(['Encoder', 'Decoder', 'JPEG'], call.engine) ASC,
    call.name_id ASC NULLS FIRST
