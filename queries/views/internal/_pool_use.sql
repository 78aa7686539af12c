-- Memory events of pools with the bytes in use of the pool after each.
--
-- A pool is its address in its process from when it was created to the next pool there; one made before the capture has no such time.
-- Needs  gpu_memory_event
-- Columns
--     created_ns  BIGINT  -- When the pool was made; NULL if that is not recorded.
--     place       BIGINT  -- Number of the event of this pool, in order of time and row.
--     use_bytes   BIGINT  -- Bytes allocated from it after the event.
--     live_count  BIGINT  -- Allocations that are not freed after it.
WITH made AS (
    SELECT
        process_id,
        pool_address,
        start_ns
    FROM memory_pool_event
    WHERE operation = 'created'
),

event AS (
    SELECT
        *,
        CASE WHEN is_allocation THEN start_ns ELSE coalesce(other_ns, start_ns) END AS allocated_ns
    FROM gpu_memory_event
    WHERE pool_address IS NOT NULL
),

placed AS (
    SELECT
        event.*,
        made.start_ns AS created_ns
    FROM event
    ASOF LEFT JOIN made
        ON
            event.process_id = made.process_id
            AND event.pool_address = made.pool_address
            AND event.allocated_ns >= made.start_ns
)

SELECT
    *,
    row_number() OVER in_order AS place,
    (sum(change_bytes) OVER in_order)::BIGINT AS use_bytes,
    (
        sum(CASE WHEN is_allocation THEN 1 WHEN other_row_id IS NOT NULL THEN -1 ELSE 0 END) OVER in_order
    )::BIGINT AS live_count
FROM placed
WINDOW in_order AS (
    PARTITION BY gpu_id, process_id, pool_address, created_ns
    ORDER BY start_ns ASC, row_id ASC ROWS UNBOUNDED PRECEDING
)
