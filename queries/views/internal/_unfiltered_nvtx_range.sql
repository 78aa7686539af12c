-- NVTX ranges that open and close on one thread, regardless of the time filter.
--
-- As _nvtx_thread_range, for naming kernels by the range around their call.
-- Needs  NVTX_EVENTS
-- Columns
--     end_ns     BIGINT  -- End, or the latest timestamp of any range.
WITH latest AS (
    SELECT greatest(max(start), max("end")) AS end_ns
    FROM unfiltered.NVTX_EVENTS
    WHERE eventType IN (59, 60, 70, 71)
)

SELECT
    event.rowid AS row_id,
    event.globalTid AS thread_id,
    event.start AS start_ns,
    coalesce(event."end", latest.end_ns) AS end_ns
FROM unfiltered.NVTX_EVENTS AS event
CROSS JOIN latest
WHERE event.eventType IN (59, 60, 70, 71) AND event.endGlobalTid IS NULL
