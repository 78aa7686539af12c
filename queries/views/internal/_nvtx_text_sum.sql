-- Count and time of NVTX rows, by text, kind, domain and process.
--
-- For queries that group by name afterwards: there are few texts and many rows. What was never closed has no
-- end yet: the sum of its starts is here.
-- Needs  NVTX_EVENTS
-- Columns
--     event_type      BIGINT   -- As in `nvtx_event`: 59, 60, 70, 71 ranges; 75 a domain's name.
--     instances       BIGINT   -- Rows.
--     closed_ns       HUGEINT  -- Sum of durations of those that have an end; NULL if none has.
--     open_instances  BIGINT   -- Rows that have no end.
--     open_starts_ns  HUGEINT  -- Sum of their starts; NULL if there are none.
--     latest_ns       BIGINT   -- Latest end, or start of what has no end.
SELECT
    process_id,
    domain_id,
    event_type,
    text_id,
    text,
    count(*) AS instances,
    sum(end_ns - start_ns) AS closed_ns,
    count(*) FILTER (WHERE end_ns IS NULL) AS open_instances,
    sum(start_ns) FILTER (WHERE end_ns IS NULL) AS open_starts_ns,
    max(coalesce(end_ns, start_ns)) AS latest_ns
FROM nvtx_event
WHERE event_type BETWEEN 59 AND 75
GROUP BY ALL
