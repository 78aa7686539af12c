-- Kernels: one row per execution of a GPU function, with their names as ids of `string`.
--
-- For queries that aggregate before joining the text; `kernel` has the names.
-- Needs  CUPTI_ACTIVITY_KIND_KERNEL
-- Columns
--     row_id                       BIGINT  -- Position in the export's table.
--     start_ns                     BIGINT  -- Start on the GPU.
--     end_ns                       BIGINT  -- End on the GPU.
--     usual: dur_ns, process_id, pid, device_id, context_id
--     green_context_id             BIGINT  -- Green context; NULL if none.
--     stream_id                    BIGINT  -- CUDA stream.
--     correlation_id               BIGINT  -- Shared with the launching call of the process.
--     graph_node_id                BIGINT  -- CUDA graph node that ran it; NULL if launched singly.
--     name_id                      BIGINT  -- Demangled name.
--     short_name_id                BIGINT  -- Name without signature.
--     mangled_name_id              BIGINT  -- Mangled name; NULL in exports before 2.9.
--     grid_x                       BIGINT  -- Blocks in x.
--     grid_y                       BIGINT  -- Blocks in y.
--     grid_z                       BIGINT  -- Blocks in z.
--     block_x                      BIGINT  -- Threads of a block in x.
--     block_y                      BIGINT  -- Threads of a block in y.
--     block_z                      BIGINT  -- Threads of a block in z.
--     registers_per_thread         BIGINT  -- Registers.
--     static_shared_memory_bytes   BIGINT  -- Static shared memory of a block.
--     dynamic_shared_memory_bytes  BIGINT  -- Dynamic shared memory of a block.
--     cluster_blocks               BIGINT  -- Blocks of a thread block cluster; 1 without, or if the export does not say.
SELECT
    rowid AS row_id,
    start AS start_ns,
    "end" AS end_ns,
    "end" - start AS dur_ns,
    globalPid AS process_id,
    pid_of(globalPid) AS pid,
    deviceId AS device_id,
    contextId AS context_id,
    nullif(greenContextId, 0) AS green_context_id,
    streamId AS stream_id,
    correlationId AS correlation_id,
    graphNodeId AS graph_node_id,
    demangledName AS name_id,
    shortName AS short_name_id,
    mangledName AS mangled_name_id,
    gridX AS grid_x,
    gridY AS grid_y,
    gridZ AS grid_z,
    blockX AS block_x,
    blockY AS block_y,
    blockZ AS block_z,
    registersPerThread AS registers_per_thread,
    staticSharedMemory AS static_shared_memory_bytes,
    dynamicSharedMemory AS dynamic_shared_memory_bytes,
    coalesce(nullif(clusterX, 0), 1)
    * coalesce(nullif(clusterY, 0), 1)
    * coalesce(nullif(clusterZ, 0), 1) AS cluster_blocks
FROM raw.CUPTI_ACTIVITY_KIND_KERNEL
