-- Memory that CUDA allocated or freed, including static variables.
--
-- A free belongs to the last allocation of its process at its address. If that was before the capture, or before the
-- selected interval, the free does not change the bytes in use; its change_bytes is 0.
-- Needs  CUDA_GPU_MEMORY_USAGE_EVENTS
-- Columns
--     memory_pool_event: row_id, start_ns, process_id, pid, device_id, gpu_id
--     context_id      BIGINT   -- CUDA context.
--     kind            VARCHAR  -- Kind of memory, such as Device, Managed, Pinned (on the host).
--     pool_address    BIGINT   -- Memory pool, for a free that of its allocation; NULL if none.
--     pool_size_bytes  BIGINT  -- Bytes that the pool reserved then, according to CUDA; NULL if not recorded.
--     address         BIGINT   -- Virtual address.
--     bytes           BIGINT   -- Size.
--     is_allocation   BOOLEAN  -- Allocated; else freed.
--     change_bytes    BIGINT   -- Change of the bytes in use.
--     other_row_id    BIGINT   -- Row of the free of an allocation, or of the allocation of a free; NULL if none.
--     other_ns        BIGINT   -- Its time.
--     variable        VARCHAR  -- Name of a static variable; NULL for all else.
--     correlation_id  BIGINT   -- Shared with the call of the process; NULL for static variables.
WITH recorded AS (
    SELECT
        *,
        {
            'operation': memoryOperationType,
            'row_id': rowid,
            'at_ns': start,
            'size': bytes,
            'pool': localMemoryPoolAddress
        } AS recorded
    FROM raw.CUDA_GPU_MEMORY_USAGE_EVENTS
),

event AS (
    SELECT
        *,
        coalesce(memoryOperationType = 0, false) AS is_allocation,
        lag(recorded) OVER same_address AS last_one,
        lead(recorded) OVER same_address AS next_one
    FROM recorded
    WINDOW same_address AS (PARTITION BY globalPid, address ORDER BY start ASC, rowid ASC)
),

paired AS (
    SELECT
        *,
        CASE
            WHEN is_allocation AND next_one.operation = 1 THEN next_one
            WHEN NOT is_allocation AND last_one.operation = 0 THEN last_one
        END AS other
    FROM event
)

SELECT
    paired.rowid AS row_id,
    paired.start AS start_ns,
    paired.globalPid AS process_id,
    pid_of(paired.globalPid) AS pid,
    paired.deviceId AS device_id,
    coalesce(gpu_device.gpu_id, paired.deviceId) AS gpu_id,
    paired.contextId AS context_id,
    coalesce(kind.label, 'kind ' || paired.memKind) AS kind,
    coalesce(
        paired.localMemoryPoolAddress, CASE WHEN NOT paired.is_allocation THEN paired.other.pool END
    ) AS pool_address,
    paired.localMemoryPoolSize AS pool_size_bytes,
    paired.address,
    paired.bytes,
    paired.is_allocation,
    CASE WHEN paired.is_allocation THEN paired.bytes ELSE -coalesce(paired.other.size, 0) END AS change_bytes,
    paired.other.row_id AS other_row_id,
    paired.other.at_ns AS other_ns,
    paired.name AS variable,
    paired.correlationId AS correlation_id
FROM paired
LEFT JOIN gpu_device ON pid_of(paired.globalPid) = gpu_device.pid AND paired.deviceId = gpu_device.device_id
LEFT JOIN _memory_kind AS kind ON paired.memKind = kind.id
