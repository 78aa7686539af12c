-- A function of host code, by the family of its library: CPU samples in it, and the time that they stand for.
--
-- For the threads that launch GPU work, or all if there are none. A sample counts for its innermost function outside of
-- the OS kernel and the C library. It stands for the median time between samples of a thread, since most are taken while
-- the thread runs.
-- Needs  COMPOSITE_EVENTS, SAMPLING_CALLCHAINS
-- Parameters
--     process_id  BIGINT = NULL  -- Only this process (globalPid).
--     start_ns    BIGINT = NULL  -- Only samples at or after this time.
--     end_ns      BIGINT = NULL  -- Only samples before this time.
-- Columns
--     family    VARCHAR  -- MPI and UCX, NCCL, Python, allocator, OpenMP runtime, CUDA runtime, profiler, program or system.
--     name      VARCHAR  -- The function.
--     total_ns  BIGINT   -- Samples times the interval.
--     count     BIGINT   -- Samples.
WITH launching AS (
    SELECT DISTINCT thread_id
    FROM _activity_launch
    WHERE thread_id IS NOT NULL
),

apart AS (
    SELECT start_ns - lag(start_ns) OVER (PARTITION BY thread_id ORDER BY start_ns) AS interval_ns
    FROM cpu_sample
),

sampled AS (
    SELECT
        family.family,
        family.function AS name
    FROM cpu_sample
    INNER JOIN _sample_family AS family ON cpu_sample.chain_id = family.chain_id
    WHERE
        ((SELECT count(*) FROM launching) = 0 OR cpu_sample.thread_id IN (SELECT thread_id FROM launching))
        AND ($process_id IS NULL OR process_of(cpu_sample.thread_id) = $process_id)
        AND ($start_ns IS NULL OR cpu_sample.start_ns >= $start_ns)
        AND ($end_ns IS NULL OR cpu_sample.start_ns < $end_ns)
)

SELECT
    family,
    name,
    count(*) * coalesce((SELECT quantile_disc(interval_ns, 0.5) FROM apart), 0)::BIGINT AS total_ns,
    count(*) AS count
FROM sampled
GROUP BY family, name
ORDER BY total_ns DESC, family ASC, name ASC
