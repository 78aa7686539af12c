-- NVTX ranges that could number the layers of a model: closed, of one thread, `layer` or `block` in the text.
--
-- Registered texts are looked up later. Read only where steps are known by launches alone.
-- Needs  NVTX_EVENTS
-- Columns
--     _nvtx_range_ids: process_id, text_id, plain_text, dur_ns
SELECT
    process_of(globalTid) AS process_id,
    textId AS text_id,
    CASE WHEN textId IS NULL THEN text END AS plain_text,
    "end" - start AS dur_ns
FROM raw.NVTX_EVENTS
WHERE
    eventType IN (59, 60, 70, 71)
    AND "end" >= start
    AND (textId IS NOT NULL OR contains(lower(text), 'layer') OR contains(lower(text), 'block'))
