-- Memcpys on the GPU, including unified-memory migrations.
--
-- Needs  CUPTI_ACTIVITY_KIND_MEMCPY
-- Columns
--     row_id            BIGINT   -- Position in the export's table.
--     kernel: start_ns, end_ns, dur_ns, process_id, pid, device_id, gpu_id, context_id, green_context_id, stream_id
--     correlation_id    BIGINT   -- Shared with the call of the process; NULL for migrations.
--     graph_node_id     BIGINT   -- CUDA graph node that ran it; NULL outside of graphs.
--     bytes             BIGINT   -- Bytes copied.
--     copy_kind         BIGINT   -- Direction, by number; 11 to 13 are unified-memory migrations.
--     direction         VARCHAR  -- Direction, such as Host-to-Device; NULL for an unknown number.
--     src_kind          VARCHAR  -- Memory copied from, such as Pageable.
--     dst_kind          VARCHAR  -- Memory copied to.
--     src_device_id     BIGINT   -- Device copied from; peer copies only.
--     dst_device_id     BIGINT   -- Device copied to; peer copies only.
--     virtual_address   BIGINT   -- Address migrated; migrations only.
--     migration_cause   BIGINT   -- NVIDIA's number of the reason; migrations only.
SELECT
    copy.rowid AS row_id,
    copy.start AS start_ns,
    copy."end" AS end_ns,
    copy."end" - copy.start AS dur_ns,
    copy.globalPid AS process_id,
    pid_of(copy.globalPid) AS pid,
    copy.deviceId AS device_id,
    coalesce(gpu_device.gpu_id, copy.deviceId) AS gpu_id,
    copy.contextId AS context_id,
    nullif(copy.greenContextId, 0) AS green_context_id,
    copy.streamId AS stream_id,
    copy.correlationId AS correlation_id,
    copy.graphNodeId AS graph_node_id,
    copy.bytes,
    copy.copyKind AS copy_kind,
    direction.label AS direction,
    src.label AS src_kind,
    dst.label AS dst_kind,
    copy.srcDeviceId AS src_device_id,
    copy.dstDeviceId AS dst_device_id,
    copy.virtualAddress AS virtual_address,
    copy.migrationCause AS migration_cause
FROM raw.CUPTI_ACTIVITY_KIND_MEMCPY AS copy
LEFT JOIN gpu_device ON pid_of(copy.globalPid) = gpu_device.pid AND copy.deviceId = gpu_device.device_id
LEFT JOIN _copy_direction AS direction ON copy.copyKind = direction.id
LEFT JOIN _memory_kind AS src ON copy.srcKind = src.id
LEFT JOIN _memory_kind AS dst ON copy.dstKind = dst.id
