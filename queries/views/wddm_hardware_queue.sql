-- Hardware queues of the Windows display driver model (WDDM), with the queue that each belongs to.
--
-- Needs  WDDM_HW_QUEUE_EVENTS
-- Columns
--     row_id          BIGINT  -- Position in the export's table.
--     context         BIGINT  -- The queue.
--     parent_context  BIGINT  -- The queue that it belongs to.
SELECT
    rowid AS row_id,
    context,
    parentDxgHwQueue AS parent_context
FROM raw.WDDM_HW_QUEUE_EVENTS
