-- NVTX domains, one row per thread that registered one.
--
-- A domain belongs to its process: registered on several threads, it is still one domain, with the name of
-- the first row.
-- Needs  NVTX_EVENTS
-- Engine  table
-- Columns
--     process_id  BIGINT   -- Process (globalPid).
--     domain_id   BIGINT   -- Number of the domain in the process's events.
--     thread_id   BIGINT   -- Thread that registered it (globalTid).
--     name        VARCHAR  -- Name.
--     is_first    BOOLEAN  -- The process's first registration of the domain.
WITH registration AS (
    SELECT
        process_of(thread_id) AS process_id,
        domain_id,
        thread_id,
        first(text ORDER BY start_ns ASC, row_id ASC) AS name,
        min(start_ns) AS start_ns
    FROM _nvtx_unclosed_or_domain
    WHERE event_type = 75
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
