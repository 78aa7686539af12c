-- CPU time by system call.
--
-- A report of nsys versions later than 2023.4.4, from its documentation.
-- Needs  system_call
-- Columns
--     time_pct       DOUBLE   -- [Time (%)] Share of the total of all rows.
--     total_time_ns  BIGINT   -- [Total Time (ns)] Sum of durations.
--     num_calls      BIGINT   -- [Num Calls] Number of calls.
--     avg_ns         DOUBLE   -- [Avg (ns)] Mean duration.
--     med_ns         DOUBLE   -- [Med (ns)] Median duration.
--     min_ns         BIGINT   -- [Min (ns)] Shortest.
--     max_ns         BIGINT   -- [Max (ns)] Longest.
--     stddev_ns      DOUBLE   -- [StdDev (ns)] Sample standard deviation; 0 of a single one.
--     name           VARCHAR  -- [Name] System call.
-- Same as  nsys stats --report syscall_sum
WITH function AS (
    SELECT
        name_id,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS num_calls,
        spread_ns(dur_ns) AS spread
    FROM system_call
    GROUP BY name_id
)

SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    total_time_ns,
    num_calls,
    unnest(spread) AS spread,
    string.text AS name
FROM function
LEFT JOIN string ON function.name_id = string.id
ORDER BY total_time_ns DESC, name_id ASC NULLS FIRST
