-- NVTX ranges that could number the layers of a model: closed, of one thread, `layer` or `block` in the text.
--
-- Few among many, so SQLite filters them. Registered texts are looked up later. Read only where steps are known by launches alone.
-- Needs  NVTX_EVENTS
-- Engine  pushdown NVTX_EVENTS where eventType IN (59, 60, 70, 71) AND "end" >= start
--         AND (textId IS NOT NULL OR text LIKE '%layer%' OR text LIKE '%block%')
-- Columns
--     _nvtx_range_ids: process_id, text_id, plain_text, dur_ns
SELECT
    process_of(globalTid) AS process_id,
    textId AS text_id,
    CASE WHEN textId IS NULL THEN text END AS plain_text,
    "end" - start AS dur_ns
FROM pushdown._layer_mark
