-- Processes of the machine, profiled or not.
--
-- A process that nsys started can bear the launcher's name in the export; its program is what most of its threads are
-- called then, as threads inherit the program's name.
-- Needs  PROCESSES
-- Columns
--     process_id  BIGINT   -- Process (globalPid).
--     pid         BIGINT   -- The operating system's process number.
--     name        VARCHAR  -- Its program.
WITH thread_name AS (
    SELECT
        process_of(thread.globalTid) AS process_id,
        text.value AS name,
        row_number() OVER (
            PARTITION BY process_of(thread.globalTid) ORDER BY count(*) DESC, text.value ASC
        ) AS place
    FROM raw.ThreadNames AS thread
    INNER JOIN raw.StringIds AS text ON thread.nameId = text.id
    WHERE text.value NOT IN ('nsys-launcher', 'ProcessLauncher')
    GROUP BY process_of(thread.globalTid), text.value
),

listed AS (
    SELECT
        globalPid AS process_id,
        min(pid) AS pid,
        min(name) AS name
    FROM raw.PROCESSES
    GROUP BY globalPid
)

SELECT
    listed.process_id,
    listed.pid,
    coalesce(thread_name.name, listed.name) AS name
FROM listed
LEFT JOIN thread_name
    ON
        listed.process_id = thread_name.process_id AND thread_name.place = 1
        AND listed.name IN ('nsys-launcher', 'ProcessLauncher')
