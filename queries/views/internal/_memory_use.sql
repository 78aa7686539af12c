-- Memory events with the bytes in use after each, by GPU and kind of memory.
--
-- Needs  gpu_memory_event
-- Columns
--     place      BIGINT  -- Number of the event of this GPU and kind, in order of time and row.
SELECT
    *,
    row_number() OVER in_order AS place,
    (sum(change_bytes) OVER in_order)::BIGINT AS use_bytes
FROM gpu_memory_event
WINDOW in_order AS (PARTITION BY gpu_id, kind ORDER BY start_ns ASC, row_id ASC ROWS UNBOUNDED PRECEDING)
