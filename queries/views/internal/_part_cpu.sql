-- CPUs that the program's threads used in a part, and how much of their time.
--
-- Needs  _idle_gap, SCHED_EVENTS
-- Engine  table
-- Columns
--     part_id    BIGINT  -- The part.
--     cpu_count  BIGINT  -- CPUs that ran a thread of the program.
--     share      DOUBLE  -- Share of the time of these CPUs in the part that its threads use.
WITH event AS (
    SELECT
        cpu,
        start AS start_ns,
        isSchedIn AS is_in,
        lead(start) OVER (PARTITION BY cpu ORDER BY start ASC, isSchedIn ASC, rowid ASC) AS end_ns
    FROM raw.SCHED_EVENTS
)

SELECT
    part.part_id,
    count(DISTINCT event.cpu) AS cpu_count,
    (
        sum(least(event.end_ns, part.end_ns) - greatest(event.start_ns, part.start_ns))
        / (count(DISTINCT event.cpu) * (part.end_ns - part.start_ns))
    )::DOUBLE AS share
FROM part
INNER JOIN event ON event.start_ns < part.end_ns AND event.end_ns > part.start_ns
WHERE part.kind IN ('series', 'rest', 'work') AND event.is_in = 1
GROUP BY part.part_id, part.start_ns, part.end_ns
