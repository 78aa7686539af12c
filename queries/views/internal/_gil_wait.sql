-- A time in which a thread waited for Python's global interpreter lock.
--
-- Ranges "Waiting for GIL" of the domain "GIL Trace", whose text is registered. One that never ended is left out.
-- A table: few, where there are any.
-- Needs  NVTX_EVENTS
-- Engine  table if EXISTS (FROM string WHERE text = 'Waiting for GIL')
-- Columns
--     usual: row_id, start_ns, end_ns, thread_id
--     text_id    BIGINT  -- The range's text, as a number of `string`.
WITH waiting AS (
    SELECT id
    FROM string
    WHERE text = 'Waiting for GIL'
)

SELECT
    event.rowid AS row_id,
    event.start AS start_ns,
    event."end" AS end_ns,
    event.globalTid AS thread_id,
    event.textId AS text_id
FROM raw.NVTX_EVENTS AS event
SEMI JOIN waiting ON event.textId = waiting.id
WHERE event.eventType = 59 AND event."end" IS NOT NULL
