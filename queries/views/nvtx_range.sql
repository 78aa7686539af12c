-- A named stretch of CPU time: an NVTX range, push/pop or start/end.
--
-- A range that was never closed ends at the latest timestamp of any range. Domains belong to processes:
-- one created on several threads of a process is still one domain.
-- Needs  NVTX_EVENTS
-- Columns
--     row_id         BIGINT   -- Position in the export's table.
--     start_ns       BIGINT   -- Start.
--     end_ns         BIGINT   -- End, or the latest timestamp of any range.
--     dur_ns         BIGINT   -- Duration.
--     is_open        BOOLEAN  -- The range was never closed.
--     style          VARCHAR  -- PushPop or StartEnd.
--     thread_id      BIGINT   -- Thread that opened it (globalTid).
--     end_thread_id  BIGINT   -- Thread that closed it, where another one did.
--     process_id     BIGINT   -- Process (globalPid).
--     pid            BIGINT   -- The operating system's process number.
--     tid            BIGINT   -- The operating system's thread number.
--     domain         VARCHAR  -- Domain; NULL for the default one.
--     text           VARCHAR  -- The range's text.
--     name           VARCHAR  -- domain:text, or the text where there is no domain.
WITH domain AS (
    SELECT
        domainId AS domain_id,
        globalTid & ~16777215 AS process_id,
        arg_min(text, start) AS text
    FROM raw.NVTX_EVENTS
    WHERE eventType = 75
    GROUP BY domain_id, process_id
),

latest AS (
    SELECT greatest(max(start), max("end")) AS end_ns
    FROM raw.NVTX_EVENTS
    WHERE eventType IN (59, 60, 70, 71)
)

SELECT
    event.rowid AS row_id,
    event.start AS start_ns,
    coalesce(event."end", latest.end_ns) AS end_ns,
    coalesce(event."end", latest.end_ns) - event.start AS dur_ns,
    event."end" IS NULL AS is_open,
    CASE WHEN event.eventType IN (59, 70) THEN 'PushPop' ELSE 'StartEnd' END AS style,
    event.globalTid AS thread_id,
    event.endGlobalTid AS end_thread_id,
    event.globalTid & ~16777215 AS process_id,
    (event.globalTid >> 24) & 16777215 AS pid,
    event.globalTid & 16777215 AS tid,
    domain.text AS domain,
    coalesce(string.text, event.text) AS text,
    coalesce(domain.text || ':', '') || coalesce(string.text, event.text) AS name
FROM raw.NVTX_EVENTS AS event
CROSS JOIN latest
LEFT JOIN string ON event.textId = string.id
LEFT JOIN domain ON event.domainId = domain.domain_id AND (event.globalTid & ~16777215) = domain.process_id
WHERE event.eventType IN (59, 60, 70, 71)
