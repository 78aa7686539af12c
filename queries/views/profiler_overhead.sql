-- Intervals that a thread spent on profiling itself.
--
-- Needs  overhead
-- Columns
--     overhead: source, row_id, start_ns, end_ns, dur_ns, thread_id
--     name       VARCHAR  -- Kind of overhead.
SELECT * EXCLUDE (name_id, cause)
FROM overhead
WHERE cause = 'profiler'
