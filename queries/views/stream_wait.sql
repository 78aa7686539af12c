-- Waits of streams for CUDA events, with the record of the event if it was captured.
--
-- Synchronization rows of cudaStreamWaitEvent that name their stream. The record is the latest one of that event in
-- the process whose recording call began before the wait; without --cuda-event-trace its columns are NULL.
-- Needs  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
-- Engine  table
-- Columns
--     row_id               BIGINT  -- Position of the wait in the export's table.
--     start_ns             BIGINT  -- When the wait was requested.
--     process_id           BIGINT  -- Process (globalPid).
--     context_id           BIGINT  -- The context of the stream that waits.
--     stream_id            BIGINT  -- The stream that waits.
--     event_id             BIGINT  -- The event.
--     recorded_stream_id   BIGINT  -- The stream that the event was recorded on.
--     recorded_context_id  BIGINT  -- Its context.
--     recorded_ns          BIGINT  -- When the recording call began.
WITH call AS (  -- if several share an id, the first
    SELECT
        process_id,
        correlation_id,
        arg_min(start_ns, row_id) AS start_ns
    FROM _api_call_ids
    WHERE correlation_id IN (SELECT correlationId FROM raw.CUPTI_ACTIVITY_KIND_CUDA_EVENT)
    GROUP BY process_id, correlation_id
),

recorded AS (
    SELECT
        event.globalPid AS process_id,
        event.eventId AS event_id,
        event.streamId AS stream_id,
        event.contextId AS context_id,
        call.start_ns
    FROM raw.CUPTI_ACTIVITY_KIND_CUDA_EVENT AS event
    INNER JOIN call ON event.globalPid = call.process_id AND event.correlationId = call.correlation_id
)

SELECT
    synchronization.row_id,
    synchronization.start_ns,
    synchronization.process_id,
    synchronization.context_id,
    synchronization.stream_id,
    synchronization.event_id,
    recorded.stream_id AS recorded_stream_id,
    recorded.context_id AS recorded_context_id,
    recorded.start_ns AS recorded_ns
FROM synchronization
ASOF LEFT JOIN recorded
    ON
        synchronization.process_id = recorded.process_id
        AND synchronization.event_id = recorded.event_id
        AND synchronization.start_ns >= recorded.start_ns
WHERE synchronization.kind = 'Stream wait sync' AND synchronization.stream_id IS NOT NULL
