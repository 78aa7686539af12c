-- GPU activity with the CUDA API call that launched it, in order of GPU and start.
--
-- The rows of _gpu_activity_sorted. Of calls that share process and correlation id, the first in the export's
-- table. Of work that starts together, that whose launch began first goes first, then stream, then id.
-- Stored: it joins all work with all calls.
-- Needs  _gpu_work_ids
-- Engine  stored; clipped
-- Columns
--     gpu_id            BIGINT   -- Physical GPU.
--     process_id        BIGINT   -- Process (globalPid).
--     device_id         BIGINT   -- CUDA ordinal within the process.
--     context_id        BIGINT   -- CUDA context.
--     stream_id         BIGINT   -- CUDA stream.
--     start_ns          BIGINT   -- Start on the GPU.
--     end_ns            BIGINT   -- End on the GPU.
--     kind              ENUM('kernel', 'memcpy', 'memset', 'graph')  -- Kind of work.
--     detail_id         BIGINT   -- Which of its kind: name number of a kernel, direction of a copy, graph id.
--     row_id            BIGINT   -- Position in the export's table of that kind.
--     function_id       BIGINT   -- Function, by its mangled name, else the demangled one; kernels only.
--     is_pageable       BOOLEAN  -- A copy from or to pageable memory.
--     is_communication  BOOLEAN  -- A communication kernel (view communication_kernel).
--     is_small          BOOLEAN  -- A small kernel; NULL where the export does not say how many SMs there are.
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
    GROUP BY
        process_id,
        correlation_id
    HAVING count(*) > 1
),

call AS (
    SELECT recorded.*
    FROM recorded
    LEFT JOIN repeated
        ON
            recorded.process_id = repeated.process_id
            AND recorded.correlation_id = repeated.correlation_id
    WHERE repeated.first_call_id IS NULL OR recorded.call_id = repeated.first_call_id
)

SELECT
    work.gpu_id,
    work.process_id,
    work.device_id,
    work.context_id,
    work.stream_id,
    work.start_ns,
    work.end_ns,
    work.kind,
    work.detail_id,
    work.row_id,
    work.function_id,
    work.is_pageable,
    work.is_communication,
    work.is_small,
    call.thread_id,
    call.call_id,
    call.api_start_ns,
    call.api_end_ns,
    call.api_name_id
FROM _gpu_work_class AS work
LEFT JOIN call
    ON
        work.process_id = call.process_id
        AND work.correlation_id = call.correlation_id
WHERE work.end_ns > work.start_ns
ORDER BY
    work.gpu_id ASC NULLS FIRST,
    work.start_ns ASC,
    call.api_start_ns ASC NULLS LAST,
    work.stream_id ASC NULLS LAST,
    work.correlation_id ASC NULLS LAST,
    work.kind ASC,
    work.row_id ASC
