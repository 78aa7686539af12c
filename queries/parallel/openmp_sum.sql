-- Time by OpenMP event kind and name.
--
-- Kinds are NVIDIA's tables; one name in two of them gives two rows. Regions and what happens inside them
-- are both counted.
-- Needs  openmp_event
-- Columns
--     usual: time_pct, total_time_ns
--     count          BIGINT   -- [Count] Number of events.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     name           VARCHAR  -- [Name] Event.
--     kind           VARCHAR  -- Such as parallel or sync_region_wait.
-- Same as  nsys stats --report openmp_sum
WITH event_sum AS (
    SELECT
        kind,
        name_id,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS count,
        spread_ns(dur_ns) AS spread
    FROM openmp_event
    GROUP BY kind, name_id
)

SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    total_time_ns,
    count,
    unnest(spread) AS spread,
    string.text AS name,
    kind
FROM event_sum
LEFT JOIN string ON event_sum.name_id = string.id
ORDER BY total_time_ns DESC, kind ASC, name_id ASC NULLS FIRST
