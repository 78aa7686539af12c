-- A function of a process's kernels, with the time at which it was launched first.
--
-- Needs  kernel_record
-- Columns
--     process_id     BIGINT  -- Process (globalPid).
--     short_name_id  BIGINT  -- Function, by its name without signature.
--     api_start_ns   BIGINT  -- Start of the first call that launched it.
SELECT
    process_id,
    short_name_id,
    min(api_start_ns) AS api_start_ns
FROM launched_activity
WHERE short_name_id IS NOT NULL AND call_id IS NOT NULL
GROUP BY
    process_id,
    short_name_id
