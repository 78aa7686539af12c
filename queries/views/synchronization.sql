-- Synchronizations: the CPU, or a stream, waiting for GPU work.
--
-- The call decides the kind, not the export's syncType, whose numbers differ between exports. If no call is recorded,
-- the row's stream and event decide. The device is that of the context's kernels, because the table has 0 for other
-- devices, too.
-- Needs  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
-- Columns
--     row_id          BIGINT   -- Position in the export's table.
--     start_ns        BIGINT   -- Start of the wait.
--     end_ns          BIGINT   -- End of the wait.
--     usual: dur_ns, process_id, pid, device_id, context_id
--     stream_id       BIGINT   -- CUDA stream; NULL if none.
--     event_id        BIGINT   -- CUDA event; NULL if none.
--     correlation_id  BIGINT   -- Shared with the API call.
--     sync_type       BIGINT   -- The export's number of the kind, which is often wrong.
--     kind            VARCHAR  -- Stream wait sync, Stream sync, Event sync, Event query or Context sync.
WITH call AS (
    SELECT
        process_of(globalTid) AS process_id,
        correlationId AS correlation_id,
        arg_min(nameId, rowid) AS name_id
    FROM raw.CUPTI_ACTIVITY_KIND_RUNTIME
    WHERE correlationId IN (SELECT correlationId FROM raw.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)
    GROUP BY ALL
),

context AS (
    SELECT
        globalPid AS process_id,
        contextId AS context_id,
        min(deviceId) AS device_id
    FROM raw.CUPTI_ACTIVITY_KIND_KERNEL
    GROUP BY ALL
)

SELECT
    sync.rowid AS row_id,
    sync.start AS start_ns,
    sync."end" AS end_ns,
    sync."end" - sync.start AS dur_ns,
    sync.globalPid AS process_id,
    pid_of(sync.globalPid) AS pid,
    coalesce(context.device_id, sync.deviceId) AS device_id,
    sync.contextId AS context_id,
    nullif(sync.streamId, 4294967295) AS stream_id,
    nullif(sync.eventId, 4294967295) AS event_id,
    sync.correlationId AS correlation_id,
    sync.syncType AS sync_type,
    CASE
        WHEN regexp_matches(string.text, 'StreamWaitEvent') THEN 'Stream wait sync'
        WHEN regexp_matches(string.text, 'StreamSynchronize') THEN 'Stream sync'
        WHEN regexp_matches(string.text, 'EventSynchronize') THEN 'Event sync'
        WHEN regexp_matches(string.text, 'EventQuery') THEN 'Event query'
        WHEN regexp_matches(string.text, '(Ctx|Context|Device|Thread)Synchronize') THEN 'Context sync'
        WHEN nullif(sync.eventId, 4294967295) IS NULL
            THEN if(nullif(sync.streamId, 4294967295) IS NULL, 'Context sync', 'Stream sync')
        WHEN nullif(sync.streamId, 4294967295) IS NULL THEN 'Event sync'
        ELSE 'Stream wait sync'
    END AS kind
FROM raw.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS sync
LEFT JOIN call ON sync.globalPid = call.process_id AND sync.correlationId = call.correlation_id
LEFT JOIN string ON call.name_id = string.id
LEFT JOIN context ON sync.globalPid = context.process_id AND sync.contextId = context.context_id
