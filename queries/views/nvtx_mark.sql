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
    event.globalTid AS thread_id,
    process_of(event.globalTid) AS process_id,
    pid_of(event.globalTid) AS pid,
    tid_of(event.globalTid) AS tid,
    coalesce(string.text, event.text) AS text
FROM raw.NVTX_EVENTS AS event
LEFT JOIN string ON event.textId = string.id
WHERE event.eventType = 34
