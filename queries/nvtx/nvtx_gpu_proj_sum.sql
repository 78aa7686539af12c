-- GPU time of NVTX ranges projected onto the GPU, by range name and style.
--
-- Projections as in nvtx_gpu_proj_trace: from the start of the first work launched in a range to the end of
-- the last, including idle time in between. Ranges without GPU work do not count. NVIDIA leaves out CUDA graphs
-- traced as a whole, ranges without a name, and the level of ranges of equal start and end.
-- Needs  _nvtx_range_ids, _api_call_ids, _gpu_work_ids
-- Parameters
--     as_nsys  BOOLEAN = false  -- Leave out what NVIDIA leaves out.
-- Columns
--     range                VARCHAR  -- [Range] domain:text, or the text if there is no domain.
--     style                VARCHAR  -- [Style] PushPop or StartEnd.
--     total_proj_time_ns   BIGINT   -- [Total Proj Time (ns)] Sum of the projections.
--     total_range_time_ns  BIGINT   -- [Total Range Time (ns)] Sum of the ranges on the CPU.
--     range_instances      BIGINT   -- [Range Instances] Number of ranges with GPU work.
--     proj_avg_ns          DOUBLE   -- [Proj Avg (ns)] Mean projection.
--     proj_med_ns          DOUBLE   -- [Proj Med (ns)] Median projection.
--     proj_min_ns          BIGINT   -- [Proj Min (ns)] Shortest projection.
--     proj_max_ns          BIGINT   -- [Proj Max (ns)] Longest projection.
--     proj_stddev_ns       DOUBLE   -- [Proj StdDev (ns)] Sample standard deviation; 0 for a single one.
--     total_gpu_ops        BIGINT   -- [Total GPU Ops] Number of launching calls.
--     avg_gpu_ops          DOUBLE   -- [Avg GPU Ops] The same per range.
--     avg_range_level      DOUBLE   -- [Avg Range Lvl] Mean number of ranges around a range.
--     avg_num_child        DOUBLE   -- [Avg Num Child] Mean number of ranges with GPU work directly in a range.
-- Same as  nsys stats --report nvtx_gpu_proj_sum
WITH projected AS (
    SELECT
        projection.name,
        projection.style,
        projection.range_dur_ns,
        CASE
            WHEN $as_nsys THEN projection.nsys_end_ns - projection.nsys_start_ns
            ELSE projection.end_ns - projection.start_ns
        END AS dur_ns,
        CASE WHEN $as_nsys THEN projection.nsys_num_gpu_ops ELSE projection.num_gpu_ops END AS num_gpu_ops,
        CASE WHEN NOT $as_nsys OR NOT projection.is_lost_by_nsys THEN projection.level END AS level,
        CASE WHEN $as_nsys THEN projection.nsys_num_child ELSE projection.num_child END AS num_child
    FROM nvtx_projection AS projection
    WHERE
        projection.row_id IS NOT NULL
        AND (NOT $as_nsys OR (projection.nsys_end_ns IS NOT NULL AND projection.name IS NOT NULL))
)

SELECT
    name AS range,
    style,
    sum(dur_ns)::BIGINT AS total_proj_time_ns,
    sum(range_dur_ns)::BIGINT AS total_range_time_ns,
    count(*) AS range_instances,
    avg(dur_ns) AS proj_avg_ns,
    median(dur_ns) AS proj_med_ns,
    min(dur_ns) AS proj_min_ns,
    max(dur_ns) AS proj_max_ns,
    coalesce(stddev_samp(dur_ns), 0) AS proj_stddev_ns,
    sum(num_gpu_ops)::BIGINT AS total_gpu_ops,
    avg(num_gpu_ops) AS avg_gpu_ops,
    avg(level) AS avg_range_level,
    avg(num_child) AS avg_num_child
FROM projected
GROUP BY name, style
ORDER BY total_proj_time_ns DESC, name ASC NULLS FIRST, style ASC
