-- GPU activity with the CUDA API call that launched it, in order of GPU and start.
--
-- The rows of _gpu_activity_sorted. Of calls that share process and correlation id, the first in the export's
-- table. Work that starts together is in order of launch, then stream, then id.
-- Needs  _gpu_work_ids
-- Engine  clipped
-- Columns
--     _gpu_work_class: gpu_id, process_id, device_id, context_id, stream_id, start_ns
--     _gpu_work_class: end_ns, kind, detail_id, row_id, function_id, is_pageable, is_communication, is_small
--     thread_id         BIGINT   -- Thread that launched it (globalTid); this and what follows NULL if not recorded.
--     call_id           BIGINT   -- Position of the call in the export's table.
--     api_start_ns      BIGINT   -- Start of the call.
--     api_end_ns        BIGINT   -- Return of the call.
--     api_name_id       BIGINT   -- Name of the call.
WITH recorded AS (
    SELECT
        process_of(thread_id) AS process_id,
        correlation_id,
        thread_id,
        row_id AS call_id,
        start_ns AS api_start_ns,
        end_ns AS api_end_ns,
        name_id AS api_name_id
    FROM _thread_state
    WHERE source = 'CUPTI_ACTIVITY_KIND_RUNTIME' AND correlation_id IS NOT NULL
),

repeated AS (
    SELECT
        process_id,
        correlation_id,
        min(call_id) AS first_call_id
    FROM recorded
    GROUP BY process_id, correlation_id
    HAVING count(*) > 1
),

call AS (
    SELECT recorded.*
    FROM recorded
    LEFT JOIN repeated
        ON recorded.process_id = repeated.process_id AND recorded.correlation_id = repeated.correlation_id
    WHERE repeated.first_call_id IS NULL OR recorded.call_id = repeated.first_call_id
)

SELECT
    work.* EXCLUDE (correlation_id),
    call.thread_id,
    call.call_id,
    call.api_start_ns,
    call.api_end_ns,
    call.api_name_id
FROM _gpu_work_class AS work
LEFT JOIN call ON work.process_id = call.process_id AND work.correlation_id = call.correlation_id
WHERE work.end_ns > work.start_ns
ORDER BY
    work.gpu_id ASC NULLS FIRST,
    work.start_ns ASC,
    call.api_start_ns ASC NULLS LAST,
    work.stream_id ASC NULLS LAST,
    work.correlation_id ASC NULLS LAST,
    work.kind ASC,
    work.row_id ASC
