-- Checks of the export: one row per check and table with findings, with their number and meaning.
--
-- Clocks and consistency. A check that finds nothing has one row, without a table; `suspect_rows` lists the
-- rows themselves. Several checks at once take more memory than one after the other.
-- Needs  _check_finding
-- Parameters
--     check_id  ENUM('end_before_start', 'outside_capture', 'name_without_text', 'work_without_launch',
--         'launch_without_work', 'overlap_on_stream', 'repeated_correlation_id') = NULL  -- Only this check.
-- Columns
--     check_id    VARCHAR  -- The check.
--     source      VARCHAR  -- NVIDIA's table; NULL where there is no finding.
--     rows_found  BIGINT   -- Rows found by the check.
--     first_ns    BIGINT   -- Start of the first of them.
--     last_ns     BIGINT   -- Start of the last of them.
--     title       VARCHAR  -- The check's name for people.
--     meaning     VARCHAR  -- What a finding means for the numbers.
--     touches     VARCHAR  -- Answers touched: those that read these tables, or this column; NULL: the table itself.
--     needs       VARCHAR  -- Views without which there is nothing to check, as in a query's header.
WITH found AS (
    SELECT
        check_id,
        source,
        count(*) AS rows_found,
        min(start_ns) AS first_ns,
        max(start_ns) AS last_ns
    FROM _check_finding
    WHERE $check_id IS NULL OR check_id = $check_id
    GROUP BY check_id, source
)

SELECT
    _capture_check.check_id,
    found.source,
    coalesce(found.rows_found, 0) AS rows_found,
    found.first_ns,
    found.last_ns,
    _capture_check.title,
    _capture_check.meaning,
    _capture_check.touches,
    _capture_check.needs
FROM _capture_check
LEFT JOIN found ON _capture_check.check_id = found.check_id
WHERE $check_id IS NULL OR _capture_check.check_id = $check_id
ORDER BY _capture_check.position ASC, rows_found DESC, found.source ASC NULLS FIRST
