-- NVTX events other than short operators of PyTorch: those by which steps, and the parts of a capture, are found.
--
-- Few among many, so SQLite filters them, once for all who read them. An operator carries an op_id, or begins `aten::`;
-- it is short below 50 us.
-- Needs  NVTX_EVENTS
-- Engine  table; pushdown NVTX_EVENTS where "end" - start >= 50000 OR "end" IS NULL OR textId IS NOT NULL OR text IS NULL
--         OR (text NOT BETWEEN 'aten::' AND 'aten::~'
--         AND (instr(text, 'op_id = ') = 0 OR text LIKE '%layer%' OR text LIKE '%block%'))
-- Columns
--     row_id      BIGINT   -- Position in the export's table.
--     event_type  BIGINT   -- 59, 60, 70 and 71 for ranges, 75 for a domain.
--     start_ns    BIGINT   -- Time.
--     end_ns      BIGINT   -- End of a range; NULL where it was never closed.
--     thread_id   BIGINT   -- Thread (globalTid).
--     is_own      BOOLEAN  -- A range that the same thread closes, if it is closed.
--     domain_id   BIGINT   -- Domain, as a number of the process's `nvtx_domain`.
--     text_id     BIGINT   -- Registered text, as a number of `string`.
--     text        VARCHAR  -- Text given with it.
SELECT
    rowid AS row_id,
    eventType AS event_type,
    start AS start_ns,
    "end" AS end_ns,
    globalTid AS thread_id,
    eventType IN (59, 60, 70, 71) AND endGlobalTid IS NULL AS is_own,
    domainId AS domain_id,
    textId AS text_id,
    text
FROM pushdown._nvtx_few
