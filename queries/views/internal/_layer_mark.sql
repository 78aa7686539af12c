-- NVTX ranges that could number the layers of a model: closed, of one thread, `layer` or `block` in the text.
--
-- Registered texts are looked up later. Read only where steps are known by launches alone.
-- Needs  NVTX_EVENTS
-- Engine  pushdown NVTX_EVENTS where (textId IS NOT NULL OR text GLOB '*[Ll][Aa][Yy][Ee][Rr]*' OR text GLOB '*[Bb][Ll][Oo][Cc][Kk]*') AND "end" >= start AND eventType IN (59, 60, 70, 71)
-- Columns
--     process_id  BIGINT   -- Process (globalPid).
--     text_id     BIGINT   -- Registered text, as a number of `string`.
--     plain_text  VARCHAR  -- Text given with the range, where it is not registered.
--     dur_ns      BIGINT   -- Duration.
SELECT
    process_of(globalTid) AS process_id,
    textId AS text_id,
    CASE WHEN textId IS NULL THEN text END AS plain_text,
    "end" - start AS dur_ns
FROM pushdown._layer_mark
