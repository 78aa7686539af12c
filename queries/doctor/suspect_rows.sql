-- A row of the export and a check that it fails.
--
-- The rows behind `capture_checks`; a row that fails several checks is here once for each.
-- Needs  _check_finding
-- Parameters
--     check_id  ENUM('end_before_start', 'outside_capture', 'name_without_text', 'work_without_launch',
--         'work_before_call', 'launch_without_work', 'overlap_on_stream', 'repeated_correlation_id', 'range_never_popped') = NULL  -- Only this check.
--     top       BIGINT = NULL  -- First rows to keep; NULL keeps all.
-- Columns
--     _check_finding: check_id, source, row_id, start_ns, end_ns
--     pid       BIGINT   -- Process.
SELECT
    * EXCLUDE (process_id, before_ns),
    pid_of(process_id) AS pid
FROM _check_finding
WHERE $check_id IS NULL OR check_id = $check_id
ORDER BY check_id ASC, source ASC, start_ns ASC NULLS FIRST, row_id ASC
LIMIT $top
