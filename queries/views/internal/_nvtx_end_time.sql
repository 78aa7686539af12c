-- Last timestamps of NVTX events, where ranges that were never closed are taken to end.
--
-- One row; none where all were closed. nsysql closes them at the last timestamp of any range; the reports of NVIDIA differ.
-- If an interval is selected, the whole capture counts; in NVIDIA's reports the part that they keep.
-- Needs  NVTX_EVENTS
-- Engine  table if EXISTS (FROM _nvtx_unclosed_or_domain WHERE event_type <> 75)
-- Columns
--     event_ns     BIGINT  -- Of any event, names of threads and domains included.
--     range_ns     BIGINT  -- Of any range.
--     push_pop_ns  BIGINT  -- Of any push/pop range.
WITH event AS (
    SELECT
        start,
        "end",
        eventType
    FROM unfiltered.NVTX_EVENTS
    WHERE NOT coalesce(getvariable('window_as_nsys'), false)
    UNION ALL
    SELECT
        start,
        "end",
        eventType
    FROM raw.NVTX_EVENTS
    WHERE getvariable('window_as_nsys')
)

SELECT
    greatest(max(start), max("end")) AS event_ns,
    greatest(
        max(CASE WHEN eventType IN (59, 60, 70, 71) THEN start END),
        max(CASE WHEN eventType IN (59, 60, 70, 71) THEN "end" END)
    ) AS range_ns,
    greatest(
        max(CASE WHEN eventType IN (59, 70) THEN start END),
        max(CASE WHEN eventType IN (59, 70) THEN "end" END)
    ) AS push_pop_ns
FROM event
