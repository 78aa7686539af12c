-- Profiler overhead by kind: count and time.
--
-- Times of all threads together; loading of modules and a full launch queue are the program's own.
-- Needs  profiler_overhead
-- Columns
--     name           VARCHAR  -- What it did.
--     instances      BIGINT   -- How often.
--     total_time_ns  BIGINT   -- Its time.
--     max_ns         BIGINT   -- The longest.
SELECT
    name,
    count(*) AS instances,
    sum(dur_ns)::BIGINT AS total_time_ns,
    max(dur_ns) AS max_ns
FROM profiler_overhead
GROUP BY name
ORDER BY total_time_ns DESC, name ASC NULLS LAST
