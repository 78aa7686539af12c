-- An NVTX push/pop range, as `nsys stats` nests them.
--
-- One that was never closed ends at the latest timestamp of any push/pop range.
-- Needs  NVTX_EVENTS
-- Columns
--     row_id     BIGINT  -- Position in the export's table.
--     thread_id  BIGINT  -- Thread (globalTid).
--     start_ns   BIGINT  -- Start.
--     end_ns     BIGINT  -- End; never before the start.
SELECT
    event.rowid AS row_id,
    event.globalTid AS thread_id,
    event.start AS start_ns,
    greatest(event.start, coalesce(event."end", (SELECT nvtx_latest.push_pop_ns FROM nvtx_latest))) AS end_ns
FROM raw.NVTX_EVENTS AS event
WHERE event.eventType IN (59, 70)
