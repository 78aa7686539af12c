-- NVTX ranges as recorded, with domain and registered text as ids.
--
-- For queries that sweep before joining the text; `nvtx_range` has the names.
-- Needs  NVTX_EVENTS
-- Columns
--     end_ns         BIGINT   -- End, or the latest timestamp of any range where it was never closed.
--     nsys_end_ns    BIGINT   -- End, or the latest timestamp of any NVTX event where it was never closed.
--     dur_ns         BIGINT   -- Duration.
--     is_open        BOOLEAN  -- The range was never closed.
--     style          VARCHAR  -- PushPop or StartEnd.
--     thread_id      BIGINT   -- Thread that opened it (globalTid).
--     end_thread_id  BIGINT   -- Thread that closed it, where another one did.
--     usual: process_id, pid, tid
--     color          BIGINT   -- Color that the program gave it (RGB); NULL if it gave none.
SELECT
    event.rowid AS row_id,
    event.start AS start_ns,
    coalesce(event."end", (SELECT _nvtx_end_time.range_ns FROM _nvtx_end_time)) AS end_ns,
    coalesce(event."end", (SELECT _nvtx_end_time.event_ns FROM _nvtx_end_time)) AS nsys_end_ns,
    coalesce(event."end", (SELECT _nvtx_end_time.range_ns FROM _nvtx_end_time)) - event.start AS dur_ns,
    event."end" IS NULL AS is_open,
    CASE WHEN event.eventType IN (59, 70) THEN 'PushPop' ELSE 'StartEnd' END AS style,
    event.globalTid AS thread_id,
    event.endGlobalTid AS end_thread_id,
    process_of(event.globalTid) AS process_id,
    pid_of(event.globalTid) AS pid,
    tid_of(event.globalTid) AS tid,
    nullif(event.color, 0) & 16777215 AS color,  -- red, green and blue, without alpha
    event.domainId AS domain_id,
    event.textId AS text_id,
    event.text AS plain_text
FROM raw.NVTX_EVENTS AS event
WHERE event.eventType IN (59, 60, 70, 71)
