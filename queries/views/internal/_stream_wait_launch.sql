-- Waits of streams for CUDA events, with the launch that each blocks and the work that it waits for.
--
-- It blocks the next launch on its stream. It waits for the last work that was launched on the recording
-- stream before the record; of a launch that has several pieces of work, for all.
-- Needs  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
-- Engine  whole
-- Columns
--     row_id       BIGINT  -- Position of the wait in the export's table.
--     start_ns     BIGINT  -- When the wait was requested.
--     call_id      BIGINT  -- The launch that had to wait: position of the call in the export's table.
--     recorded_ns  BIGINT  -- When the event's record was requested; NULL if unknown.
--     last_end_ns  BIGINT  -- End of the work that it waits for; NULL if not recorded.
--     last_gpu_id  BIGINT  -- The GPU of that work.
WITH launched AS (
    SELECT
        process_id,
        context_id,
        stream_id,
        api_start_ns,
        call_id,
        end_ns,
        gpu_id
    FROM _activity_launch
    WHERE call_id IS NOT NULL
),

recording AS (
    SELECT launched.*
    FROM launched
    SEMI JOIN stream_wait AS wait
        ON
            launched.process_id = wait.process_id
            AND launched.context_id = wait.recorded_context_id
            AND launched.stream_id = wait.recorded_stream_id
)

SELECT
    wait.row_id,
    wait.start_ns,
    next.call_id,
    wait.recorded_ns,
    coalesce(several.end_ns, last.end_ns) AS last_end_ns,
    last.gpu_id AS last_gpu_id
FROM stream_wait AS wait
ASOF INNER JOIN launched AS next
    ON
        wait.process_id = next.process_id
        AND wait.context_id = next.context_id
        AND wait.stream_id = next.stream_id
        AND wait.start_ns < next.api_start_ns
ASOF LEFT JOIN recording AS last
    ON
        wait.process_id = last.process_id
        AND wait.recorded_context_id = last.context_id
        AND wait.recorded_stream_id = last.stream_id
        AND wait.recorded_ns > last.api_start_ns
LEFT JOIN _multi_work_launch AS several ON last.call_id = several.call_id
