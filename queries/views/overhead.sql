-- Intervals in which a thread had to wait for profiling, module loading or a full launch queue.
--
-- From PROFILER_OVERHEAD and, since 3.24, CUPTI_ACTIVITY_KIND_OVERHEAD. The type decides the cause: 2, 6 and 7
-- (JIT, module and lazy function loading) are module_load, 8 (command buffer full: the driver's launch queue) is
-- blocked_launch, the rest is profiler. For rows without a type, or of type 0 or 1, which mean nothing, the name
-- decides. An older nsys names the loading of a newer driver Unknown: at 10 us or more within a CUDA call of the
-- thread it is module_load.
-- Needs  PROFILER_OVERHEAD or CUPTI_ACTIVITY_KIND_OVERHEAD
-- Columns
--     source     VARCHAR  -- NVIDIA's table.
--     row_id     BIGINT   -- Position in that table.
--     usual: start_ns, end_ns, dur_ns, thread_id
--     name_id    BIGINT   -- Name, as a number of `string`.
--     name       VARCHAR  -- Kind of overhead.
--     cause      VARCHAR  -- profiler, module_load or blocked_launch.
WITH record AS (
    -- noqa: disable=LT09
    SELECT 'PROFILER_OVERHEAD' AS source, * FROM raw.PROFILER_OVERHEAD
    UNION ALL BY NAME
    SELECT 'CUPTI_ACTIVITY_KIND_OVERHEAD' AS source, * FROM raw.CUPTI_ACTIVITY_KIND_OVERHEAD
)

SELECT
    record.source,
    record.rowid AS row_id,
    record.start AS start_ns,
    record."end" AS end_ns,
    record."end" - record.start AS dur_ns,
    record.globalTid AS thread_id,
    record.nameId AS name_id,
    string.text AS name,
    CASE
        WHEN record.overheadType IN (2, 6, 7) THEN 'module_load'
        WHEN record.overheadType = 8 THEN 'blocked_launch'
        WHEN record.overheadType IN (3, 4, 5) THEN 'profiler'
        WHEN string.text ILIKE '%command buffer full%' THEN 'blocked_launch'
        WHEN string.text ILIKE '%module loading%' OR string.text ILIKE '%function loading%' THEN 'module_load'
        WHEN string.text ILIKE '%JIT%compil%' THEN 'module_load'
        WHEN loading.row_id IS NOT NULL THEN 'module_load'
        ELSE 'profiler'
    END AS cause
FROM record
LEFT JOIN string ON record.nameId = string.id
LEFT JOIN _loading_overhead AS loading ON record.source = loading.source AND record.rowid = loading.row_id
