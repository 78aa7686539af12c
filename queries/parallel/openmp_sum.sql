-- Time by OpenMP event kind and name.
--
-- Kinds are NVIDIA's tables; one name in two of them has two rows. Regions and the events inside them are both
-- counted.
-- Needs  openmp_event
-- Columns
--     usual: time_pct, total_time_ns
--     count          BIGINT   -- [Count] Number of events.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     name           VARCHAR  -- [Name] Event.
--     kind           VARCHAR  -- Such as parallel or sync_region_wait.
-- Same as  nsys stats --report openmp_sum
SELECT
    unnest(total_ns(event.dur_ns)) AS total,
    count(*) AS count,
    unnest(spread_ns(event.dur_ns)) AS spread,
    (SELECT min(string.text) FROM string WHERE string.id = event.name_id) AS name,
    event.kind
FROM openmp_event AS event
GROUP BY event.kind, event.name_id
ORDER BY sum(event.dur_ns) DESC, event.kind ASC, event.name_id ASC NULLS FIRST
