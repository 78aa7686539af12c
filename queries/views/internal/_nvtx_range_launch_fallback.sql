-- Rows of nvtx_range_launch, computed by joins: right for all exports, and slower.
--
-- Calls are numbered per thread in the order of their start, so that those that start within a range have
-- consecutive numbers.
-- Needs  _nvtx_range_ids, _api_call_ids, _gpu_work_ids
-- Columns
--     range_row_id    BIGINT  -- Position of the range in the export's table.
--     range_start_ns  BIGINT  -- Start of the range.
--     call_row_id     BIGINT  -- Position of the call in the export's table.
WITH ordered_launch AS (
    SELECT
        *,
        dense_rank() OVER (PARTITION BY thread_id ORDER BY start_ns) AS number
    FROM _launching_call
),

begun AS (
    SELECT
        nested.*,
        ordered_launch.number AS first_number
    FROM _nvtx_thread_range AS nested
    ASOF INNER JOIN ordered_launch
        ON nested.thread_id = ordered_launch.thread_id AND nested.start_ns <= ordered_launch.start_ns
    WHERE ordered_launch.start_ns <= nested.end_ns
),

numbered AS (
    SELECT
        begun.*,
        unnest(range(begun.first_number, ordered_launch.number + 1)) AS number
    FROM begun
    ASOF INNER JOIN ordered_launch
        ON begun.thread_id = ordered_launch.thread_id AND begun.end_ns >= ordered_launch.start_ns
)

SELECT
    numbered.row_id AS range_row_id,
    numbered.start_ns AS range_start_ns,
    ordered_launch.row_id AS call_row_id
FROM numbered
INNER JOIN ordered_launch ON numbered.thread_id = ordered_launch.thread_id AND numbered.number = ordered_launch.number
WHERE ordered_launch.end_ns <= numbered.end_ns
