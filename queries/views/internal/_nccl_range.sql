-- NVTX ranges of NCCL: those of its domain, and those whose text begins nccl:, as PyTorch has them.
--
-- Few among many, so SQLite filters them; registered texts and domains are looked up later.
-- Needs  NVTX_EVENTS
-- Engine  pushdown NVTX_EVENTS where eventType IN (59, 60, 70, 71)
--         AND (textId IS NOT NULL OR text LIKE 'nccl:%' OR coalesce(domainId, 0) <> 0)
-- Columns
--     usual: row_id, thread_id, start_ns
--     end_ns      BIGINT   -- End, or the latest timestamp of any range.
--     text        VARCHAR  -- The range's text.
--     is_of_nccl  BOOLEAN  -- It is of domain NCCL.
WITH named AS (
    SELECT
        event.rowid AS row_id,
        event.globalTid AS thread_id,
        event.start AS start_ns,
        coalesce(event."end", (SELECT _nvtx_end_time.range_ns FROM _nvtx_end_time)) AS end_ns,
        coalesce(string.text, event.text) AS text,
        coalesce(domain.name, '') = 'NCCL' AS is_of_nccl
    FROM pushdown._nccl_range AS event
    LEFT JOIN string ON event.textId = string.id
    LEFT JOIN nvtx_domain AS domain
        ON
            process_of(event.globalTid) = domain.process_id
            AND event.domainId = domain.domain_id
            AND domain.is_first
)

FROM named
WHERE is_of_nccl OR text LIKE 'nccl:%'
