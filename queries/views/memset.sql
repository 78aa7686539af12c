-- Memsets on the GPU.
--
-- Needs  CUPTI_ACTIVITY_KIND_MEMSET
-- Columns
--     row_id            BIGINT   -- Position in the export's table.
--     memcpy: start_ns, end_ns, dur_ns, process_id, pid, device_id, gpu_id, context_id, green_context_id, stream_id
--     correlation_id    BIGINT   -- Shared with the call of the process.
--     graph_node_id     BIGINT   -- CUDA graph node that ran it; NULL outside of graphs.
--     bytes             BIGINT   -- Bytes set.
--     memory_kind       VARCHAR  -- Memory that is set, such as Device.
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
LEFT JOIN gpu_device ON pid_of(memset.globalPid) = gpu_device.pid AND memset.deviceId = gpu_device.device_id
LEFT JOIN _memory_kind ON memset.memKind = _memory_kind.id
