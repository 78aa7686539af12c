-- NVTX marks with a payload: among them those of nsys's Python sampler, by their domain.
--
-- Needs  NVTX_EVENTS
-- Engine  pushdown NVTX_EVENTS where eventType = 34 AND binaryData IS NOT NULL
-- Columns
--     thread_id   BIGINT  -- Thread that recorded it (globalTid): the sampler's own, or the one that was sampled.
--     domain_id   BIGINT  -- Domain, within its process.
--     number      BIGINT  -- NVTX category: the number of the Python thread in its process.
SELECT
    event.rowid AS row_id,
    event.start AS start_ns,
    event.globalTid AS thread_id,
    process_of(event.globalTid) AS process_id,
    event.domainId AS domain_id,
    event.category AS number,
    event.binaryData AS payload
FROM pushdown._python_mark AS event
WHERE event.globalTid IS NOT NULL
