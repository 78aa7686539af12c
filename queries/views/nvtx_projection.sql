-- NVTX ranges projected onto the GPU: from the start of the first work launched in each to the end of the last.
--
-- Work belongs to every range around the API call that launched it (nvtx_range_launch). Ranges without GPU work are
-- left out; work launched outside of ranges is in the one row without a range. The columns named after nsys leave out
-- CUDA graphs traced as a whole, as nsys does.
-- Needs  _nvtx_range_ids, _api_call_ids, _gpu_work_ids
-- Columns
--     _nvtx_projection: row_id, start_ns, end_ns, num_gpu_ops
--     thread_id         BIGINT   -- Thread of the range; for work outside of ranges, of the work that ended last.
--     _nvtx_projection: level, parent_row_id
--     num_child         BIGINT   -- Number of ranges with GPU work directly in it.
--     nsys_start_ns     BIGINT   -- Start of the first work; NULL if it is only graph runs.
--     nsys_end_ns       BIGINT   -- End of the last work.
--     nsys_num_gpu_ops  BIGINT   -- Number of correlation ids; equal ones of several processes count once.
--     nsys_thread_id    BIGINT   -- Thread of the range; for work outside of ranges, of the work that ended last.
--     nsys_num_child    BIGINT   -- Number of ranges with GPU work directly in it, as NVIDIA nests equal ones.
--     is_lost_by_nsys   BOOLEAN  -- Has the same start and end as another range, or is in one that does.
--     range_start_ns    BIGINT   -- Start of the range on the CPU.
--     range_dur_ns      BIGINT   -- Duration of the range on the CPU.
--     nvtx_range: style, name
SELECT
    row_id,
    start_ns,
    end_ns,
    num_gpu_ops,
    coalesce(thread_id, outside_thread_id) AS thread_id,
    level,
    parent_row_id,
    coalesce(num_child, 0) AS num_child,
    nsys_start_ns,
    nsys_end_ns,
    nsys_num_gpu_ops,
    coalesce(thread_id, nsys_outside_thread_id) AS nsys_thread_id,
    coalesce(nsys_num_child, 0) AS nsys_num_child,
    is_lost_by_nsys,
    range_start_ns,
    range_dur_ns,
    CASE is_push_pop WHEN true THEN 'PushPop' WHEN false THEN 'StartEnd' END AS style,
    name
FROM _nvtx_projection
