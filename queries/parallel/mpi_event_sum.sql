-- CPU time by MPI function.
--
-- Calls still under way at the end of the capture have no duration: they count, but add no time.
-- A report of nsys versions later than 2023.4.4, from its documentation.
-- Needs  mpi_event
-- Columns
--     usual: time_pct, total_time_ns
--     instances      BIGINT   -- [Instances] Number of calls.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     source         VARCHAR  -- [Source] p2p, start_wait, other or collectives.
--     name           VARCHAR  -- [Name] MPI function.
-- Same as  nsys stats --report mpi_event_sum
SELECT
    unnest(total_ns(event.dur_ns)) AS total,
    count(*) AS instances,
    unnest(spread_ns(event.dur_ns)) AS spread,
    event.source,
    string.text AS name
FROM mpi_event AS event
LEFT JOIN string ON event.name_id = string.id
GROUP BY event.source, string.text
ORDER BY sum(event.dur_ns) DESC NULLS LAST, event.source ASC, name ASC NULLS FIRST
