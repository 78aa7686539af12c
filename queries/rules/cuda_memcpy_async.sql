-- Asynchronous memcpys from or to pageable memory, which therefore ran synchronously.
--
-- The CPU waits for such a copy despite Async. CUDA runtime only (cudaMemcpy...Async...). A copy and its call
-- share process and correlation id; `nsys analyze` joins by the id alone, which lists a copy again for each
-- other process with the same id.
-- Needs  memcpy, _unfiltered_api_call
-- Parameters
--     top      BIGINT = NULL    -- Longest copies to keep; NULL keeps all.
--     as_nsys  BOOLEAN = false  -- Join by the correlation id alone.
-- Columns
--     duration_ns       BIGINT   -- [Duration (ns)] Duration on the GPU.
--     start_ns          BIGINT   -- [Start (ns)] Start on the GPU.
--     src_kind          VARCHAR  -- [Src Kind] Memory copied from.
--     dst_kind          VARCHAR  -- [Dst Kind] Memory copied to.
--     bytes             BIGINT   -- [Bytes (MB)] Bytes copied.
--     pid               BIGINT   -- [PID] Process of the copy.
--     device_id         BIGINT   -- [Device ID] CUDA ordinal within the process.
--     context_id        BIGINT   -- [Context ID] CUDA context.
--     green_context_id  BIGINT   -- [Green Context ID] Green context; NULL if none.
--     stream_id         BIGINT   -- [Stream ID] CUDA stream.
--     api_name          VARCHAR  -- [API Name] Function, with version suffix.
-- Same as  nsys analyze --rule cuda_memcpy_async
SELECT
    memcpy.dur_ns AS duration_ns,
    memcpy.start_ns,
    memcpy.src_kind,
    memcpy.dst_kind,
    memcpy.bytes,
    memcpy.pid,
    memcpy.device_id,
    memcpy.context_id,
    memcpy.green_context_id,
    memcpy.stream_id,
    call.name AS api_name
FROM memcpy
INNER JOIN _unfiltered_api_call AS call
    ON
        memcpy.correlation_id = call.correlation_id
        AND CASE WHEN $as_nsys THEN 0 ELSE memcpy.process_id END
        = CASE WHEN $as_nsys THEN 0 ELSE call.process_id END
WHERE
    call.name ILIKE 'cudaMemcpy%'
    AND CASE 'async'  -- sync in cuda_memcpy_sync
        WHEN 'sync'
            THEN
                call.name NOT ILIKE '%Async%'
                AND NOT (memcpy.copy_kind = 1 AND memcpy.bytes <= CASE WHEN $as_nsys THEN 64000 ELSE 65536 END)
                AND (memcpy.src_device_id IS NULL OR memcpy.src_device_id IS DISTINCT FROM memcpy.dst_device_id)
        ELSE call.name ILIKE '%Async%' AND (memcpy.src_kind = 'Pageable' OR memcpy.dst_kind = 'Pageable')
    END
ORDER BY
    memcpy.dur_ns DESC,
    call.row_id ASC,
    memcpy.start_ns ASC,
    memcpy.device_id ASC,
    memcpy.context_id ASC,
    memcpy.stream_id ASC,
    memcpy.process_id ASC,
    memcpy.row_id ASC
LIMIT $top
