-- NVTX events that are no finished range: domain registrations, and ranges that were never closed.
--
-- Few among many, so SQLite filters them before anything else is read.
-- Needs  NVTX_EVENTS
-- Engine  pushdown NVTX_EVENTS where eventType = 75 OR ("end" IS NULL AND eventType IN (59, 60, 70, 71)); table
-- Columns
--     row_id      BIGINT   -- Position in the export's table.
--     event_type  BIGINT   -- 75 for a domain.
--     start_ns    BIGINT   -- Time.
--     thread_id   BIGINT   -- Thread (globalTid).
--     domain_id   BIGINT   -- Number by which the process's events name the domain.
--     text        VARCHAR  -- Text given with it: the name of a domain.
SELECT
    rowid AS row_id,
    eventType AS event_type,
    start AS start_ns,
    globalTid AS thread_id,
    domainId AS domain_id,
    text
FROM pushdown._nvtx_unclosed_or_domain
