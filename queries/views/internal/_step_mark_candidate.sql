-- NVTX ranges that could mark steps or layers: closed, of one thread, and no operators unless `layer` or `block` is in the text.
--
-- Few among many, so SQLite filters them. Operators are ranges that carry an op_id, or begin `aten::`; those with registered texts are excluded later.
-- Needs  NVTX_EVENTS
-- Engine  pushdown NVTX_EVENTS where (textId IS NOT NULL OR (substr(text, 1, 6) <> 'aten::'
--         AND (instr(text, 'op_id = ') = 0 OR text LIKE '%layer%' OR text LIKE '%block%')))
--         AND eventType IN (59, 60, 70, 71) AND "end" >= start AND endGlobalTid IS NULL
-- Columns
--     domain_id   BIGINT   -- Domain, as a number of the process's `nvtx_domain`.
--     text_id     BIGINT   -- Registered text, as a number of `string`.
--     plain_text  VARCHAR  -- Text given with the range, where it is not registered.
SELECT
    globalTid AS thread_id,
    start AS start_ns,
    "end" AS end_ns,
    domainId AS domain_id,
    textId AS text_id,
    CASE WHEN textId IS NULL THEN text END AS plain_text
FROM pushdown._step_mark_candidate
