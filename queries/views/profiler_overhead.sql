-- Stretches of a thread's time spent on profiling itself.
--
-- Needs  overhead
-- Columns
--     source     VARCHAR  -- NVIDIA's table.
--     row_id     BIGINT   -- Position in that table.
--     start_ns   BIGINT   -- Start.
--     end_ns     BIGINT   -- End.
--     dur_ns     BIGINT   -- Duration.
--     thread_id  BIGINT   -- Thread (globalTid).
--     name       VARCHAR  -- What the profiler did.
SELECT
    source,
    row_id,
    start_ns,
    end_ns,
    dur_ns,
    thread_id,
    name
FROM overhead
WHERE cause = 'profiler'
