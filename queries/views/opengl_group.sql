-- OpenGL debug groups (KHR_debug push and pop) on the CPU or the GPU.
--
-- A group that was never closed ends at the latest timestamp of any debug event.
-- Needs  KHR_DEBUG_EVENTS
-- Columns
--     place       VARCHAR  -- cpu or gpu.
--     usual: row_id, start_ns
--     end_ns      BIGINT   -- End, or the latest timestamp.
--     usual: dur_ns, thread_id, process_id, pid, tid
--     text        VARCHAR  -- The program's text.
--     group_id    BIGINT   -- The program's number.
WITH latest AS (
    SELECT greatest(max(start), max("end")) AS end_ns
    FROM raw.KHR_DEBUG_EVENTS
)

SELECT
    CASE event.eventClass WHEN 62 THEN 'cpu' ELSE 'gpu' END AS place,
    event.rowid AS row_id,
    unnest(thread_times(event.start, coalesce(event."end", latest.end_ns), event.globalTid)) AS pushed,
    string.text,
    event.id AS group_id
FROM raw.KHR_DEBUG_EVENTS AS event
CROSS JOIN latest
LEFT JOIN string ON event.textId = string.id
WHERE event.eventClass IN (62, 63)
