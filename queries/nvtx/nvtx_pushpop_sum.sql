-- CPU time by name of NVTX push/pop range.
--
-- All threads and processes. Nested ranges each count in full, so the total can exceed the run. A range
-- that was never closed ends at the latest timestamp of any range; NVIDIA takes that of any NVTX event. A
-- domain registered on two threads of a process is one domain; NVIDIA counts its ranges twice.
-- Needs  _nvtx_range_ids
-- Parameters
--     as_nsys  BOOLEAN = false  -- Treat open ranges and domains registered twice as nsys does.
-- Columns
--     nvtx_sum: time_pct, total_time_ns, instances, avg_ns, med_ns, min_ns, max_ns, stddev_ns, range
-- Same as  nsys stats --report nvtx_pushpop_sum
SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    * EXCLUDE (as_nsys, style, name),
    name AS range
FROM _nvtx_range_sum
WHERE as_nsys = $as_nsys AND style = 'PushPop'
ORDER BY total_time_ns DESC NULLS LAST, name ASC NULLS FIRST
