-- An NVTX domain, as one thread of a process registered it.
--
-- A domain belongs to its process: registered on several threads it is still one domain, whose name is that
-- of the first row.
-- Needs  NVTX_EVENTS
-- Kept  as a table: small, and joined often
-- Columns
--     process_id  BIGINT   -- Process (globalPid).
--     domain_id   BIGINT   -- Number by which the process's events name the domain.
--     thread_id   BIGINT   -- Thread that registered it (globalTid).
--     name        VARCHAR  -- Name.
--     is_first    BOOLEAN  -- The process's first registration of the domain.
WITH registration AS (
    SELECT
        globalTid & ~16777215 AS process_id,
        domainId AS domain_id,
        globalTid AS thread_id,
        first(text ORDER BY start ASC, rowid ASC) AS name,
        min(start) AS start_ns
    FROM raw.NVTX_EVENTS
    WHERE eventType = 75
    GROUP BY process_id, domain_id, thread_id
)

SELECT
    process_id,
    domain_id,
    thread_id,
    name,
    row_number() OVER (
        PARTITION BY process_id, domain_id
        ORDER BY name IS NULL ASC, start_ns ASC, thread_id ASC
    ) = 1 AS is_first
FROM registration
