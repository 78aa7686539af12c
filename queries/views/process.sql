-- Processes of the machine, profiled or not.
--
-- Needs  PROCESSES
-- Columns
--     process_id  BIGINT   -- Process (globalPid).
--     pid         BIGINT   -- The operating system's process number.
--     name        VARCHAR  -- Its program.
SELECT
    globalPid AS process_id,
    min(pid) AS pid,
    min(name) AS name
FROM raw.PROCESSES
GROUP BY globalPid
