-- Memsets on the GPU.
--
-- Needs  CUPTI_ACTIVITY_KIND_MEMSET
-- Columns
--     row_id            BIGINT   -- Position in the export's table.
--     start_ns          BIGINT   -- Start on the GPU.
--     end_ns            BIGINT   -- End on the GPU.
--     dur_ns            BIGINT   -- Duration.
--     process_id        BIGINT   -- Process (globalPid).
--     pid               BIGINT   -- The operating system's process number.
--     device_id         BIGINT   -- CUDA ordinal within the process.
--     gpu_id            BIGINT   -- Physical GPU (view gpu_device).
--     context_id        BIGINT   -- CUDA context.
--     green_context_id  BIGINT   -- Green context; NULL if none.
--     stream_id         BIGINT   -- CUDA stream.
--     correlation_id    BIGINT   -- Shared with the call of the process.
--     graph_node_id     BIGINT   -- CUDA graph node that ran it; NULL if called singly.
--     bytes             BIGINT   -- Bytes set.
--     memory_kind       VARCHAR  -- Memset, such as Device.
SELECT
    memset.rowid AS row_id,
    memset.start AS start_ns,
    memset."end" AS end_ns,
    memset."end" - memset.start AS dur_ns,
    memset.globalPid AS process_id,
    pid_of(memset.globalPid) AS pid,
    memset.deviceId AS device_id,
    coalesce(gpu_device.gpu_id, memset.deviceId) AS gpu_id,
    memset.contextId AS context_id,
    nullif(memset.greenContextId, 0) AS green_context_id,
    memset.streamId AS stream_id,
    memset.correlationId AS correlation_id,
    memset.graphNodeId AS graph_node_id,
    memset.bytes,
    _memory_kind.label AS memory_kind
FROM raw.CUPTI_ACTIVITY_KIND_MEMSET AS memset
LEFT JOIN gpu_device
    ON
        pid_of(memset.globalPid) = gpu_device.pid
        AND memset.deviceId = gpu_device.device_id
LEFT JOIN _memory_kind ON memset.memKind = _memory_kind.id
