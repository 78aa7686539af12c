-- Processes of the machine, profiled or not.
--
-- A process can have the name of nsys's launcher or of the shell that started it; its program is then another name of it
-- in the export, else the name of most of its threads, which inherit the program's name.
-- Needs  PROCESSES
-- Engine  table
-- Columns
--     usual: process_id, pid
--     name        VARCHAR  -- Its program.
WITH starter AS (
    SELECT unnest(['nsys-launcher', 'ProcessLauncher', 'bash', 'sh', 'dash', 'zsh']) AS name
),

thread_name AS (
    SELECT
        process_of(thread.globalTid) AS process_id,
        text.value AS name,
        row_number() OVER (
            PARTITION BY process_of(thread.globalTid) ORDER BY count(*) DESC, text.value ASC
        ) AS place
    FROM raw.ThreadNames AS thread
    INNER JOIN raw.StringIds AS text ON thread.nameId = text.id
    ANTI JOIN starter ON text.value = starter.name
    GROUP BY process_of(thread.globalTid), text.value
),

listed AS (
    SELECT
        process.globalPid AS process_id,
        min(process.pid) AS pid,
        min(process.name) AS name,
        min(process.name) FILTER (WHERE starter.name IS NULL) AS program
    FROM raw.PROCESSES AS process
    LEFT JOIN starter ON parse_filename(process.name) = starter.name
    GROUP BY process.globalPid
)

SELECT
    listed.process_id,
    listed.pid,
    coalesce(listed.program, thread_name.name, listed.name) AS name
FROM listed
LEFT JOIN thread_name ON listed.process_id = thread_name.process_id AND thread_name.place = 1
