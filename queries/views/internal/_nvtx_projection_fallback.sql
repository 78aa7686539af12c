-- Rows of _nvtx_projection, computed by joins: right for all exports, and slower.
--
-- Needs  _nvtx_range_ids, _api_call_ids, _gpu_work_ids
-- Columns
--     row_id                  BIGINT   -- Position of the range in the export's table; NULL for work outside ranges.
--     _launch_extent: start_ns, end_ns
--     num_gpu_ops             BIGINT   -- Number of launches: a process and a correlation id each.
--     outside_thread_id       BIGINT   -- Of work outside ranges, the thread of that which ended last.
--     nsys_outside_thread_id  BIGINT   -- The same without CUDA graphs traced as a whole.
--     nsys_start_ns           BIGINT   -- Start of the first work that is no graph run.
--     nsys_end_ns             BIGINT   -- End of the last work that is no graph run.
--     nsys_num_gpu_ops        BIGINT   -- Number of correlation ids of work that is no graph run, equal ones of processes once.
--     thread_id               BIGINT   -- Thread of the range.
--     level                   BIGINT   -- Number of ranges around it.
--     parent_row_id           BIGINT   -- The range around it; NULL for none.
--     nvtx_range_parent: is_repeat, is_lost_by_nsys
WITH launching AS (
    SELECT
        *,
        row(end_ns, -correlation_id, -row_id) AS late,
        CASE WHEN nsys_end_ns IS NOT NULL THEN row(nsys_end_ns, -correlation_id, -row_id) END AS nsys_late
    FROM _launch_extent
),

projected AS (
    SELECT
        held.range_row_id AS row_id,
        min(launching.start_ns) AS start_ns,
        max(launching.end_ns) AS end_ns,
        count(DISTINCT launching.launch) AS num_gpu_ops,
        arg_max(launching.thread_id, launching.late) FILTER (held.range_row_id IS NULL) AS outside_thread_id,
        arg_max(launching.thread_id, launching.nsys_late) FILTER (held.range_row_id IS NULL) AS nsys_outside_thread_id,
        min(launching.nsys_start_ns) AS nsys_start_ns,
        max(launching.nsys_end_ns) AS nsys_end_ns,
        count(DISTINCT launching.correlation_id) FILTER (launching.nsys_end_ns IS NOT NULL) AS nsys_num_gpu_ops
    FROM launching
    LEFT JOIN _nvtx_range_launch_fallback AS held ON launching.row_id = held.call_row_id
    GROUP BY held.range_row_id
)

SELECT
    projected.*,
    nesting.thread_id,
    nesting.level,
    nesting.parent_row_id,
    coalesce(nesting.is_repeat, false) AS is_repeat,
    coalesce(nesting.is_lost_by_nsys, false) AS is_lost_by_nsys
FROM projected
LEFT JOIN nvtx_range_parent AS nesting ON projected.row_id = nesting.row_id
