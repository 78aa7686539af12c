-- NVTX ranges opened and closed by one thread, or never closed, with their texts as ids.
--
-- The leanest view of ranges: for those who ask in which ranges a thread is at some time. One that was never
-- closed has no end.
-- Needs  NVTX_EVENTS
-- Columns
--     usual: thread_id, start_ns
--     end_ns      BIGINT   -- End; the largest number where it was never closed.
--     row_id      BIGINT   -- Position in the export's table.
--     text_id     BIGINT   -- Registered text, as a number of `string`.
--     plain_text  VARCHAR  -- Text given with the range, where it is not registered.
SELECT
    globalTid AS thread_id,
    start AS start_ns,
    coalesce("end", 9223372036854775807) AS end_ns,
    rowid AS row_id,
    textId AS text_id,
    text AS plain_text
FROM raw.NVTX_EVENTS
WHERE eventType IN (59, 60, 70, 71) AND endGlobalTid IS NULL
