-- NVTX ranges of one thread that last at least 50 us, or were never closed, with their texts as ids.
--
-- One in ten where each operator is a range, so SQLite filters them: reading them takes a quarter of the time of all.
-- Needs  NVTX_EVENTS
-- Engine  pushdown NVTX_EVENTS where ("end" IS NULL OR "end" - start >= 50000)
--         AND eventType IN (59, 60, 70, 71) AND endGlobalTid IS NULL
SELECT
    globalTid AS thread_id,
    start AS start_ns,
    coalesce("end", 9223372036854775807) AS end_ns,
    rowid AS row_id,
    textId AS text_id,
    text AS plain_text
FROM pushdown._nvtx_long_range
