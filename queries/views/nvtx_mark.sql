-- NVTX marks: named points of CPU time.
--
-- Needs  NVTX_EVENTS
-- Columns
--     row_id      BIGINT   -- Position in the export's table.
--     start_ns    BIGINT   -- Time.
--     usual: thread_id, process_id, pid, tid
--     text        VARCHAR  -- The mark's text.
SELECT
    event.rowid AS row_id,
    event.start AS start_ns,
    unnest(thread_ids(event.globalTid)) AS ids,
    coalesce(string.text, event.text) AS text
FROM raw.NVTX_EVENTS AS event
LEFT JOIN string ON event.textId = string.id
WHERE event.eventType = 34
