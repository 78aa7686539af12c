-- A memory pool of CUDA (cudaMallocAsync) that was created, trimmed or destroyed.
--
-- Needs  CUDA_GPU_MEMORY_POOL_EVENTS
-- Columns
--     row_id                   BIGINT   -- Position in the export's table.
--     start_ns                 BIGINT   -- Time of the event.
--     usual: process_id, pid, device_id
--     gpu_id                   BIGINT   -- Physical GPU (view gpu_device).
--     pool_address             BIGINT   -- The pool: its address, which a later pool can reuse.
--     operation                VARCHAR  -- created, destroyed or trimmed.
--     is_imported              BOOLEAN  -- Imported from another process.
--     release_threshold_bytes  BIGINT   -- Bytes that the pool keeps; NULL if not recorded.
--     pool_size_bytes          BIGINT   -- Bytes that the pool reserved then; NULL if not recorded.
--     correlation_id           BIGINT   -- Shared with the call of the process.
SELECT
    event.rowid AS row_id,
    event.start AS start_ns,
    event.globalPid AS process_id,
    pid_of(event.globalPid) AS pid,
    event.deviceId AS device_id,
    coalesce(gpu_device.gpu_id, event.deviceId) AS gpu_id,
    event.address AS pool_address,
    CASE event.operationType
        WHEN 1 THEN 'created'
        WHEN 2 THEN 'destroyed'
        WHEN 3 THEN 'trimmed'
        ELSE 'operation ' || event.operationType
    END AS operation,
    coalesce(event.poolType = 2, false) AS is_imported,
    event.localMemoryPoolReleaseThreshold AS release_threshold_bytes,
    event.localMemoryPoolSize AS pool_size_bytes,
    event.correlationId AS correlation_id
FROM raw.CUDA_GPU_MEMORY_POOL_EVENTS AS event
LEFT JOIN gpu_device ON pid_of(event.globalPid) = gpu_device.pid AND event.deviceId = gpu_device.device_id
