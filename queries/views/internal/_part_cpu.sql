-- CPUs that the program's threads used in a part, and how much of their time all threads and the program's own use.
--
-- The program is the processes with CUDA calls in the part; a trace of the whole system has other programs' threads, too.
-- Needs  _idle_gap, _api_call_ids, SCHED_EVENTS
-- Engine  table
-- Columns
--     part_id    BIGINT  -- The part.
--     cpu_count  BIGINT  -- CPUs that ran a thread of the program.
--     share      DOUBLE  -- Share of the time of these CPUs in the part that threads use.
--     own_share  DOUBLE  -- The same of the program's threads.
WITH event AS (
    SELECT
        cpu,
        process_of(globalTid) AS process_id,
        start AS start_ns,
        isSchedIn AS is_in,
        lead(start) OVER (PARTITION BY cpu ORDER BY start ASC, isSchedIn ASC, rowid ASC) AS end_ns
    FROM raw.SCHED_EVENTS
),

program AS (
    SELECT DISTINCT
        part_id,
        process_id
    FROM part_call
),

used AS (
    SELECT
        part.part_id,
        part.end_ns - part.start_ns AS part_ns,
        sum(within_ns(event.start_ns, event.end_ns, part.start_ns, part.end_ns)) AS ns,
        sum(within_ns(event.start_ns, event.end_ns, part.start_ns, part.end_ns))
        FILTER (WHERE program.part_id IS NOT NULL) AS own_ns
    FROM part
    INNER JOIN event ON event.start_ns < part.end_ns AND event.end_ns > part.start_ns
    LEFT JOIN program ON part.part_id = program.part_id AND event.process_id = program.process_id
    WHERE part.kind IN ('series', 'rest', 'work') AND event.is_in = 1
    GROUP BY part.part_id, part.start_ns, part.end_ns, event.cpu
    HAVING own_ns IS NOT NULL
)

SELECT
    part_id,
    count(*) AS cpu_count,
    (sum(ns) / (count(*) * any_value(part_ns)))::DOUBLE AS share,
    (sum(own_ns) / (count(*) * any_value(part_ns)))::DOUBLE AS own_share
FROM used
GROUP BY part_id
