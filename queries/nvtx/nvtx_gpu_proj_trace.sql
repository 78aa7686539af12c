-- NVTX ranges projected onto the GPU: from the start of the first work launched in each to the end of the last.
--
-- Work belongs to every range around the API call that launched it, on the thread of the call; when the
-- work itself ran does not matter. The projection includes other GPU work in between, and idle time. Ranges
-- without GPU work have no row. The row without a range (the first, if any) has the work launched outside of
-- ranges. Work whose call was not recorded is left out. Ranges are nested as in nvtx_pushpop_trace, whatever
-- their style. NVIDIA leaves out CUDA graphs traced as a whole, and the nesting of ranges of equal start and
-- end; in the row without a range it counts equal correlation ids of several processes once.
-- Needs  _nvtx_range_ids, _api_call_ids, _gpu_work_ids
-- Parameters
--     as_nsys  BOOLEAN = false  -- Leave out what NVIDIA leaves out.
-- Columns
--     name                   VARCHAR  -- [Name] domain:text, or the text if there is no domain.
--     projected_start_ns     BIGINT   -- [Projected Start (ns)] Start of the first work.
--     projected_duration_ns  BIGINT   -- [Projected Duration (ns)] Up to the end of the last work.
--     orig_start_ns          BIGINT   -- [Orig Start (ns)] Start of the range on the CPU.
--     orig_duration_ns       BIGINT   -- [Orig Duration (ns)] Duration of the range on the CPU.
--     style                  VARCHAR  -- [Style] PushPop or StartEnd.
--     pid                    BIGINT   -- [PID] Process.
--     tid                    BIGINT   -- [TID] Thread; for work outside of ranges, the thread that launched the work that ended last.
--     num_gpu_ops            BIGINT   -- [NumGPUOps] Number of launches, each a process and a correlation id, whatever they launched.
--     level                  BIGINT   -- [Lvl] Number of ranges around it.
--     num_child              BIGINT   -- [NumChild] Number of ranges with GPU work directly in it.
--     nvtx_pushpop_trace: range_id, parent_id, range_stack
-- Same as  nsys stats --report nvtx_gpu_proj_trace
SELECT
    projection.name,
    CASE WHEN $as_nsys THEN projection.nsys_start_ns ELSE projection.start_ns END AS projected_start_ns,
    CASE
        WHEN $as_nsys THEN projection.nsys_end_ns - projection.nsys_start_ns
        ELSE projection.end_ns - projection.start_ns
    END AS projected_duration_ns,
    projection.range_start_ns AS orig_start_ns,
    projection.range_dur_ns AS orig_duration_ns,
    projection.style,
    pid_of(CASE WHEN $as_nsys THEN projection.nsys_thread_id ELSE projection.thread_id END) AS pid,
    tid_of(CASE WHEN $as_nsys THEN projection.nsys_thread_id ELSE projection.thread_id END) AS tid,
    CASE WHEN $as_nsys THEN projection.nsys_num_gpu_ops ELSE projection.num_gpu_ops END AS num_gpu_ops,
    CASE WHEN NOT $as_nsys OR NOT projection.is_lost_by_nsys THEN projection.level END AS level,
    CASE WHEN $as_nsys THEN projection.nsys_num_child ELSE projection.num_child END AS num_child,
    projection.row_id AS range_id,
    CASE WHEN NOT $as_nsys OR NOT projection.is_lost_by_nsys THEN projection.parent_row_id END AS parent_id,
    CASE WHEN NOT $as_nsys OR NOT projection.is_lost_by_nsys THEN around.path END AS range_stack
FROM nvtx_projection AS projection
LEFT JOIN _nvtx_projection_path AS around ON projection.row_id = around.row_id
WHERE NOT $as_nsys OR projection.nsys_end_ns IS NOT NULL
ORDER BY projection.row_id ASC NULLS FIRST
