-- A copy, and between which kinds of memory it is, as one number: what steps are found by.
--
-- Needs  CUPTI_ACTIVITY_KIND_MEMCPY
-- Columns
--     row_id     BIGINT  -- Position in the export's table.
--     memory_id  BIGINT  -- Kind of the source times 256 plus that of the destination; 255 where not recorded.
SELECT
    rowid AS row_id,
    coalesce(srcKind, 255) * 256 + coalesce(dstKind, 255) AS memory_id
FROM raw.CUPTI_ACTIVITY_KIND_MEMCPY
