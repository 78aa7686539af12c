-- A kind of profiler overhead: count and time.
--
-- Added over all threads. Module loading and a full launch queue do not count: they are the program's own.
-- Needs  profiler_overhead
-- Columns
--     name           VARCHAR  -- Kind of overhead.
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
