-- A kernel that a recorded call launched, in the order of the calls.
--
-- For matching the launches of two versions of a program. Calls that begin at the same time, on a coarse clock, are in
-- order of their correlation ids.
-- Needs  _kernel_ids
-- Parameters
--     launched_work: process_id, start_ns, end_ns
--     top         BIGINT = NULL  -- First kernels to keep; NULL keeps all.
-- Columns
--     _activity_launch: api_start_ns, start_ns
--     name          VARCHAR  -- Kernel.
SELECT
    launch.api_start_ns,
    launch.start_ns,
    coalesce(string.text, '(no name)') AS name
FROM _activity_launch AS launch
LEFT JOIN _kernel_ids AS kernel ON launch.row_id = kernel.row_id
LEFT JOIN string ON launch.detail_id = string.id
WHERE
    launch.kind = 'kernel'
    AND ($process_id IS NULL OR launch.process_id = $process_id)
    AND is_at(launch.api_start_ns, $start_ns, $end_ns)
ORDER BY launch.api_start_ns ASC, launch.process_id ASC, kernel.correlation_id ASC, launch.row_id ASC
LIMIT $top
