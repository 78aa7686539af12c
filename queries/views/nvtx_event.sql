-- NVTX rows as recorded: ranges, marks, and names of domains, categories and threads.
--
-- For queries that aggregate before they join the text; `nvtx_range` and `nvtx_mark` have names and ends.
-- Needs  NVTX_EVENTS
-- Columns
--     row_id         BIGINT   -- Position in the export's table.
--     event_type     BIGINT   -- 59, 60, 70, 71 ranges; 34 a mark; 75 a domain's name; others as NVIDIA numbers them.
--     start_ns       BIGINT   -- Start.
--     end_ns         BIGINT   -- End; NULL for a range that was never closed, and for marks and names.
--     usual: thread_id, process_id
--     domain_id      BIGINT   -- Domain, within its process.
--     text_id        BIGINT   -- Text, as an id of `string`; NULL if `text` has it.
--     text           VARCHAR  -- Text, if it is not registered.
SELECT
    rowid AS row_id,
    eventType AS event_type,
    start AS start_ns,
    "end" AS end_ns,
    globalTid AS thread_id,
    process_of(globalTid) AS process_id,
    domainId AS domain_id,
    textId AS text_id,
    text
FROM raw.NVTX_EVENTS
