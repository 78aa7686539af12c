-- A stretch of a thread's time that profiling itself took.
--
-- PROFILER_OVERHEAD rows, and CUPTI overhead rows of types 3 to 5 (buffer flush, instrumentation, resource)
-- of exports since 3.24. Types 2, 6 and 7 (JIT and module loading) and 8 (command buffer full) are the
-- program's and the driver's own; they are not here.
-- Needs  PROFILER_OVERHEAD or CUPTI_ACTIVITY_KIND_OVERHEAD
-- Columns
--     row_id     BIGINT   -- Position in the export's table.
--     start_ns   BIGINT   -- Start.
--     end_ns     BIGINT   -- End.
--     dur_ns     BIGINT   -- Duration.
--     thread_id  BIGINT   -- Thread (globalTid).
--     name       VARCHAR  -- What the profiler did.
SELECT
    overhead.rowid AS row_id,
    overhead.start AS start_ns,
    overhead."end" AS end_ns,
    overhead."end" - overhead.start AS dur_ns,
    overhead.globalTid AS thread_id,
    string.text AS name
FROM (
    SELECT
        rowid,
        start,
        "end",
        globalTid,
        nameId,
        overheadType
    FROM raw.PROFILER_OVERHEAD
    UNION ALL
    SELECT
        rowid,
        start,
        "end",
        globalTid,
        nameId,
        overheadType
    FROM raw.CUPTI_ACTIVITY_KIND_OVERHEAD
) AS overhead
LEFT JOIN string ON overhead.nameId = string.id
WHERE coalesce(overhead.overheadType, 3) IN (3, 4, 5)
