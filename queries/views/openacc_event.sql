-- OpenACC events, with their names as ids of `string`.
--
-- A construct and the events inside it each have a row.
-- Needs  CUPTI_ACTIVITY_KIND_OPENACC_TABLE
-- Columns
--     kind        VARCHAR  -- data, launch or other.
--     row_id      BIGINT   -- Position in the export's table of that kind.
--     usual: start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid, name_id
--     file_id     BIGINT   -- Source file, as a number of `string`; NULL if unknown.
--     line        BIGINT   -- Line in the source file.
--     function_id BIGINT   -- Function of the source, as a number of `string`; NULL if unknown.
WITH event AS (
    -- noqa: disable=LT09
    SELECT 'CUPTI_ACTIVITY_KIND_OPENACC_TABLE' AS source, * FROM raw.CUPTI_ACTIVITY_KIND_OPENACC_TABLE
)

SELECT
    lower(source[29:]) AS kind,
    rowid AS row_id,
    unnest(thread_times(start, "end", globalTid)) AS called,
    nameId AS name_id,
    srcFile AS file_id,
    lineNo AS line,
    funcName AS function_id
FROM event
