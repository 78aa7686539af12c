-- An NVTX range carried over to the GPU: from the start of the first work launched in it to the end of the last.
--
-- Work belongs to every range around the API call that launched it (nvtx_call). Ranges without GPU work are
-- not here; work launched outside ranges is in the one row without a range. The columns named after nsys
-- leave out whole CUDA graph runs, as NVIDIA does.
-- Needs  nvtx_range_record, api_call_record, gpu_work_record
-- Columns
--     row_id            BIGINT   -- Position of the range in the export's table; NULL for work outside ranges.
--     start_ns          BIGINT   -- Start of the first work.
--     end_ns            BIGINT   -- End of the last work.
--     num_gpu_ops       BIGINT   -- Number of correlation ids: launching calls, not pieces of work.
--     thread_id         BIGINT   -- Thread of the range; of work outside ranges, of that which ended last.
--     level             BIGINT   -- Number of ranges around it.
--     parent_row_id     BIGINT   -- The range around it; NULL for none.
--     num_child         BIGINT   -- Number of ranges with GPU work directly in it.
--     nsys_start_ns     BIGINT   -- Start of the first work; NULL for graph runs only.
--     nsys_end_ns       BIGINT   -- End of the last work.
--     nsys_num_gpu_ops  BIGINT   -- Number of correlation ids.
--     nsys_thread_id    BIGINT   -- Thread of the range; of work outside ranges, of that which ended last.
--     nsys_num_child    BIGINT   -- Number of ranges with GPU work directly in it, as NVIDIA nests equal ones.
--     is_lost_by_nsys   BOOLEAN  -- Has the same start and end as another range, or lies in one that has.
--     range_start_ns    BIGINT   -- Start of the range on the CPU.
--     range_dur_ns      BIGINT   -- Duration of the range on the CPU.
--     style             VARCHAR  -- PushPop or StartEnd.
--     name              VARCHAR  -- domain:text, or the text where there is no domain.
WITH repeat AS (
    SELECT
        row_id,
        parent_row_id
    FROM nvtx_projection_record
    WHERE is_repeat
),

-- NVIDIA takes ranges of equal start and end for each other's parents, the first for that of what they hold.
lost_parent AS (
    SELECT
        coalesce(
            CASE WHEN placed.is_repeat THEN placed.parent_row_id END,
            repeated.row_id,
            first.parent_row_id,
            placed.parent_row_id
        ) AS row_id,
        count(*) AS nsys_num_child
    FROM nvtx_projection_record AS placed
    LEFT JOIN repeat AS repeated ON placed.row_id = repeated.parent_row_id
    LEFT JOIN repeat AS first ON placed.parent_row_id = first.row_id
    WHERE placed.is_lost_by_nsys AND placed.nsys_end_ns IS NOT NULL
    GROUP BY ALL
)

SELECT
    placed.row_id,
    placed.start_ns,
    placed.end_ns,
    placed.num_gpu_ops,
    coalesce(placed.thread_id, placed.outside_thread_id) AS thread_id,
    placed.level,
    placed.parent_row_id,
    coalesce(placed.num_child, 0) AS num_child,
    placed.nsys_start_ns,
    placed.nsys_end_ns,
    placed.nsys_num_gpu_ops,
    coalesce(placed.thread_id, placed.nsys_outside_thread_id) AS nsys_thread_id,
    coalesce(
        CASE WHEN placed.is_lost_by_nsys THEN lost_parent.nsys_num_child ELSE placed.nsys_num_child END, 0
    ) AS nsys_num_child,
    placed.is_lost_by_nsys,
    placed.range_start_ns,
    placed.range_dur_ns,
    CASE placed.is_push_pop WHEN true THEN 'PushPop' WHEN false THEN 'StartEnd' END AS style,
    placed.name
FROM nvtx_projection_record AS placed
LEFT JOIN lost_parent ON placed.row_id = lost_parent.row_id
