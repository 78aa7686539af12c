-- Synchronizations: the CPU, or a stream, waiting for GPU work.
--
-- Needs  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
-- Columns
--     row_id          BIGINT   -- Position in the export's table.
--     start_ns        BIGINT   -- Start of the wait.
--     end_ns          BIGINT   -- End of the wait.
--     dur_ns          BIGINT   -- Duration.
--     process_id      BIGINT   -- Process (globalPid).
--     pid             BIGINT   -- The operating system's process number.
--     device_id       BIGINT   -- CUDA ordinal within the process.
--     context_id      BIGINT   -- CUDA context.
--     stream_id       BIGINT   -- CUDA stream; NULL if none.
--     event_id        BIGINT   -- CUDA event; NULL if none.
--     correlation_id  BIGINT   -- Shared with the API call.
--     sync_type       BIGINT   -- Kind, by number; 2 is a stream that waits.
--     kind            VARCHAR  -- Kind, such as Stream sync.
SELECT
    sync.rowid AS row_id,
    sync.start AS start_ns,
    sync."end" AS end_ns,
    sync."end" - sync.start AS dur_ns,
    sync.globalPid AS process_id,
    pid_of(sync.globalPid) AS pid,
    sync.deviceId AS device_id,
    sync.contextId AS context_id,
    nullif(sync.streamId, 4294967295) AS stream_id,
    nullif(sync.eventId, 4294967295) AS event_id,
    sync.correlationId AS correlation_id,
    sync.syncType AS sync_type,
    coalesce(
        ENUM_CUPTI_SYNC_TYPE.label,
        ['Unknown', 'Event sync', 'Stream wait sync', 'Stream sync', 'Context sync'][sync.syncType + 1]
    ) AS kind
FROM raw.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS sync
LEFT JOIN raw.ENUM_CUPTI_SYNC_TYPE ON sync.syncType = ENUM_CUPTI_SYNC_TYPE.id
