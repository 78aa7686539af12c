-- Queues of the Windows display driver model (WDDM).
--
-- Needs  TARGET_INFO_WDDM_CONTEXTS
-- Columns
--     row_id         BIGINT   -- Position in the export's table.
--     context        BIGINT   -- The queue.
--     node_ordinal   BIGINT   -- Node of the GPU.
--     friendly_name  VARCHAR  -- Name, if the driver gave one.
SELECT
    rowid AS row_id,
    context,
    nodeOrdinal AS node_ordinal,
    friendlyName AS friendly_name
FROM raw.TARGET_INFO_WDDM_CONTEXTS
