-- Intervals of each GPU's window, each in exactly one account.
--
-- They do not overlap and fill the window: busy time by what ran (view _busy_piece), idle time by cause.
-- Needs  _gpu_work_ids
-- Columns
--     name_id   BIGINT   -- Name of the kernel, as a number of `string`; NULL for all else.
--     label     VARCHAR  -- Copies by direction and memory, sets by memory, graphs by number, idle time by cause.
--     item_id   BIGINT   -- The activity, by its position in its table; the gap.
--     is_first  BOOLEAN  -- The first interval of its activity, or of its gap and cause.
WITH copy AS (
    SELECT
        row_id,
        coalesce(direction, 'Unknown') || coalesce(' (' || src_kind || ' to ' || dst_kind || ')', '') AS label
    FROM memcpy
),

piece AS (
    SELECT
        busy.gpu_id,
        busy.start_ns,
        busy.end_ns,
        busy.kind::VARCHAR AS kind,
        CASE WHEN busy.kind IN ('computing', 'communication') THEN busy.detail_id END AS name_id,
        CASE busy.kind
            WHEN 'graph' THEN '[CUDA graph ' || coalesce(busy.detail_id::VARCHAR, 'Unknown') || ']'
            WHEN 'copy' THEN copy.label
            WHEN 'memset' THEN coalesce(memset.memory_kind, 'Unknown')
        END AS label,
        busy.row_id AS item_id,
        busy.is_first
    FROM _busy_piece AS busy
    LEFT JOIN copy ON CASE WHEN busy.kind = 'copy' THEN busy.row_id END = copy.row_id
    LEFT JOIN memset ON CASE WHEN busy.kind = 'memset' THEN busy.row_id END = memset.row_id
    UNION ALL
    SELECT
        gpu_id,
        start_ns,
        end_ns,
        'idle' AS kind,
        NULL AS name_id,
        cause::VARCHAR AS label,
        gap_id AS item_id,
        is_first
    FROM _idle_piece
)

SELECT * REPLACE (kind::ENUM('computing', 'graph', 'communication', 'copy', 'memset', 'idle') AS kind)
FROM piece
