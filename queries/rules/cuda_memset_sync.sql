-- Synchronous memsets of pinned or managed memory: the CPU waited for each.
--
-- CUDA runtime only (cudaMemset... without Async). A memset and its call share process and correlation id;
-- `nsys analyze` joins by the id alone, which lists a memset again for each other process with the same id.
-- Needs  memset, _unfiltered_api_call
-- Parameters
--     top      BIGINT = NULL    -- Longest memsets to keep; NULL keeps all.
--     as_nsys  BOOLEAN = false  -- Join by the correlation id alone.
-- Columns
--     cuda_memcpy_async: duration_ns, start_ns
--     memory_kind       VARCHAR  -- [Memory Kind] Memory that is set.
--     bytes             BIGINT   -- [Bytes (MB)] Bytes set.
--     pid               BIGINT   -- [PID] Process of the memset.
--     cuda_memcpy_async: device_id, context_id, green_context_id, stream_id, api_name
-- Same as  nsys analyze --rule cuda_memset_sync
SELECT
    memset.dur_ns AS duration_ns,
    memset.start_ns,
    memset.memory_kind,
    memset.bytes,
    memset.pid,
    memset.device_id,
    memset.context_id,
    memset.green_context_id,
    memset.stream_id,
    call.name AS api_name
FROM memset
INNER JOIN _unfiltered_api_call AS call
    ON
        memset.correlation_id = call.correlation_id
        AND CASE WHEN $as_nsys THEN 0 ELSE memset.process_id END
        = CASE WHEN $as_nsys THEN 0 ELSE call.process_id END
WHERE
    call.name ILIKE 'cudaMemset%'
    AND call.name NOT ILIKE '%Async%'
    AND memset.memory_kind IN ('Pinned', 'Managed')
ORDER BY
    memset.dur_ns DESC,
    call.row_id ASC,
    memset.start_ns ASC,
    memset.device_id ASC,
    memset.context_id ASC,
    memset.stream_id ASC,
    memset.process_id ASC,
    memset.row_id ASC
LIMIT $top
