-- GPU work with the ids that join it to its launch, regardless of the time filter.
--
-- For calls that were made in that time: their work may run when the time is over. Migrations of unified memory
-- (copy kinds 11 to 13) have no call.
-- Needs  CUPTI_ACTIVITY_KIND_KERNEL or CUPTI_ACTIVITY_KIND_MEMCPY or CUPTI_ACTIVITY_KIND_MEMSET or CUPTI_ACTIVITY_KIND_GRAPH_TRACE
-- Columns
--     correlation_id  BIGINT  -- Shared with the launching call of the process.
SELECT
    globalPid AS process_id,
    correlationId AS correlation_id
FROM unfiltered.CUPTI_ACTIVITY_KIND_KERNEL
UNION ALL
SELECT
    globalPid AS process_id,
    correlationId AS correlation_id
FROM unfiltered.CUPTI_ACTIVITY_KIND_MEMCPY
WHERE coalesce(copyKind, 0) NOT IN (11, 12, 13)
UNION ALL
SELECT
    globalPid AS process_id,
    correlationId AS correlation_id
FROM unfiltered.CUPTI_ACTIVITY_KIND_MEMSET
UNION ALL
SELECT
    globalPid AS process_id,
    correlationId AS correlation_id
FROM unfiltered.CUPTI_ACTIVITY_KIND_GRAPH_TRACE
