-- An NVTX range in the tree of its thread: within which range it lies, and how deep.
--
-- As nvtx_range_parent, with the whole path.
-- Needs  nvtx_range_record
-- Columns
--     row_id           BIGINT   -- Position in the export's table.
--     thread_id        BIGINT   -- Thread (globalTid).
--     start_ns         BIGINT   -- Start.
--     end_ns           BIGINT   -- End, or the latest timestamp of any range.
--     level            BIGINT   -- Number of ranges around it, parent by parent.
--     parent_row_id    BIGINT   -- Parent; NULL for none.
--     is_repeat        BOOLEAN  -- Has the start and end of its parent.
--     is_lost_by_nsys  BOOLEAN  -- Has the start and end of another range, or lies in one that has.
--     path             VARCHAR  -- Rows from the outermost range to this one, such as :2:7.
WITH RECURSIVE linked AS (
    SELECT *
    FROM nvtx_range_parent
),

tree AS (
    SELECT
        linked.*,
        ':' || linked.row_id AS path
    FROM linked
    WHERE linked.parent_row_id IS NULL
    UNION ALL
    SELECT
        linked.*,
        around.path || ':' || linked.row_id AS path
    FROM linked
    INNER JOIN (
        SELECT
            row_id,
            path
        FROM tree
    ) AS around ON linked.parent_row_id = around.row_id
)

SELECT *
FROM tree
