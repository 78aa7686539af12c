-- Rows of `overhead` that an older nsys names Unknown but that are loading: 10 us or more within a CUDA call of the thread.
--
-- A table: calls are read only if there are rows of that name and length.
-- Needs  PROFILER_OVERHEAD or CUPTI_ACTIVITY_KIND_OVERHEAD
-- Engine  table if EXISTS (
--             FROM raw.PROFILER_OVERHEAD INNER JOIN string ON nameId = id WHERE text = 'Unknown' AND "end" - start >= 10000
--         ) OR EXISTS (
--             FROM raw.CUPTI_ACTIVITY_KIND_OVERHEAD INNER JOIN string ON nameId = id
--             WHERE text = 'Unknown' AND "end" - start >= 10000
--         )
-- Columns
--     source  VARCHAR  -- NVIDIA's table.
--     row_id  BIGINT   -- Position in it.
WITH record AS (
    -- noqa: disable=LT09
    SELECT 'PROFILER_OVERHEAD' AS source, * FROM raw.PROFILER_OVERHEAD
    UNION ALL BY NAME
    SELECT 'CUPTI_ACTIVITY_KIND_OVERHEAD' AS source, * FROM raw.CUPTI_ACTIVITY_KIND_OVERHEAD
),

-- Of the calls begun up to a time one ends last: a row within any is within that one.
call AS (
    SELECT
        thread_id,
        start_ns,
        max(end_ns) OVER (PARTITION BY thread_id ORDER BY start_ns) AS reach_ns
    FROM _api_call_ids
)

SELECT
    record.source,
    record.rowid AS row_id
FROM record
INNER JOIN string ON record.nameId = string.id
ASOF JOIN call ON record.globalTid = call.thread_id AND record.start >= call.start_ns
WHERE string.text = 'Unknown' AND record."end" - record.start >= 10000 AND record."end" <= call.reach_ns
