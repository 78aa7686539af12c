-- All rows with a start and an end, from every NVIDIA table.
--
-- For the checks of an export: every table with both times, each row with the names that it has.
-- Needs  TIMED_TABLE
-- Columns
--     source         VARCHAR  -- NVIDIA's table.
--     row_id         BIGINT   -- Position in that table.
--     usual: start_ns, end_ns, process_id
--     short_name_id  BIGINT   -- A kernel's name without signature.
WITH record AS (
    -- noqa: disable=LT09
    SELECT 'TIMED_TABLE' AS source, * FROM raw.TIMED_TABLE
)

SELECT
    source,
    rowid AS row_id,
    start AS start_ns,
    "end" AS end_ns,
    coalesce(globalPid, process_of(globalTid)) AS process_id,
    coalesce(nameId, textId, demangledName) AS name_id,
    shortName AS short_name_id
FROM record
