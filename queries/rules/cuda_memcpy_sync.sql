-- Synchronous memcpys: the CPU waited for each.
--
-- Of the CUDA runtime only (cudaMemcpy... without Async). Left out are copies of up to 64 KiB from the host
-- to a device, which do not wait, and copies within one device where the export says so. A copy and its
-- call share process and correlation id; `nsys analyze` joins by the id alone, which lists a copy once more
-- for each process that has the same id, and takes 64000 bytes for the limit.
-- Needs  memcpy, _unfiltered_api_call
-- Parameters
--     top      BIGINT = NULL    -- Longest copies to keep; NULL keeps all.
--     as_nsys  BOOLEAN = false  -- Join by the correlation id alone, and leave out up to 64000 bytes.
-- Columns
--     cuda_memcpy_async: duration_ns, start_ns, src_kind
--     cuda_memcpy_async: dst_kind, bytes, pid, device_id, context_id, green_context_id, stream_id, api_name
-- Same as  nsys analyze --rule cuda_memcpy_sync
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
    AND call.name NOT ILIKE '%Async%'
    AND NOT (memcpy.copy_kind = 1 AND memcpy.bytes <= CASE WHEN $as_nsys THEN 64000 ELSE 65536 END)
    AND (memcpy.src_device_id IS NULL OR memcpy.src_device_id IS DISTINCT FROM memcpy.dst_device_id)
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
