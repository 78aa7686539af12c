-- Time by OpenACC event and source line.
--
-- A construct and the events inside it are both counted. If the file is unknown, the name is that of the event
-- alone.
-- Needs  openacc_event
-- Columns
--     usual: time_pct, total_time_ns
--     num_calls      BIGINT   -- [Num Calls] Number of events.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     name           VARCHAR  -- [Name] Such as Enter Data@jacobi.f90:30.
-- Same as  nsys stats --report openacc_sum
WITH named_event AS (
    SELECT
        CASE
            WHEN event.file_id IS NULL THEN name.text
            ELSE name.text || '@' || file.text || ':' || event.line
        END AS name,
        event.dur_ns
    FROM openacc_event AS event
    LEFT JOIN string AS name ON event.name_id = name.id
    LEFT JOIN string AS file ON event.file_id = file.id
)

SELECT
    unnest(total_ns(dur_ns)) AS total,
    count(*) AS num_calls,
    unnest(spread_ns(dur_ns)) AS spread,
    name
FROM named_event
GROUP BY name
ORDER BY sum(dur_ns) DESC, name ASC NULLS FIRST
