-- Marks of nsys's Python sampler, with or without a payload, by process and Python thread.
--
-- Needs  NVTX_EVENTS
-- Columns
--     number      BIGINT  -- Number of the Python thread in its process.
--     first_ns    BIGINT  -- Time of the first.
--     last_ns     BIGINT  -- Time of the last.
SELECT
    process_of(event.globalTid) AS process_id,
    event.category AS number,
    count(*) AS samples,
    min(event.start) AS first_ns,
    max(event.start) AS last_ns
FROM raw.NVTX_EVENTS AS event
INNER JOIN nvtx_domain AS domain
    ON process_of(event.globalTid) = domain.process_id AND event.domainId = domain.domain_id AND domain.is_first
WHERE event.eventType = 34 AND domain.name = 'Python Backtrace'
GROUP BY process_of(event.globalTid), event.category
