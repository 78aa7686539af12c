-- CPU time by NVTX range name and style.
--
-- Push/pop and start/end ranges of all threads and processes. Nested ranges each count in full, so the total
-- can exceed the run. A range that was never closed ends at the latest timestamp of any range; NVIDIA takes
-- that of any NVTX event. A domain registered on two threads of a process is one domain; NVIDIA counts its
-- ranges twice.
-- Needs  _nvtx_range_ids
-- Parameters
--     as_nsys  BOOLEAN = false  -- Treat open ranges and domains registered twice as nsys does.
-- Columns
--     usual: time_pct, total_time_ns
--     instances      BIGINT   -- [Instances] Number of ranges.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     style          VARCHAR  -- [Style] PushPop or StartEnd.
--     range          VARCHAR  -- [Range] domain:text, or the text if there is no domain.
-- Same as  nsys stats --report nvtx_sum
SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    * EXCLUDE (as_nsys, style, name),
    style,
    name AS range
FROM _nvtx_range_sum
WHERE as_nsys = $as_nsys
ORDER BY total_time_ns DESC NULLS LAST, name ASC NULLS FIRST, style ASC
