-- Kernels, memcpys and memsets on the GPU, in order of start.
--
-- Throughput is bytes over the exact duration; `nsys stats` first divides 10^9 by the duration in whole
-- numbers, which gives 0 above one second.
-- CUDA graphs traced as a whole are left out, as in nsys; `launches` has them.
-- Needs  _kernel_ids or memcpy or memset, NVTX_EVENTS if nvtx_name, _api_call_ids if nvtx_name
-- Engine  skip kernel_nvtx_range unless $nvtx_name
-- Parameters
--     usual: name, nvtx_name
--     as_nsys    BOOLEAN = false  -- Throughput by NVIDIA's integer division, with ordinals taken as GPUs.
-- Columns
--     start_ns                  BIGINT   -- [Start (ns)] Start on the GPU.
--     duration_ns               BIGINT   -- [Duration (ns)] Duration.
--     corr_id                   BIGINT   -- [CorrId] Correlation id, unique within a process.
--     grid_x                    BIGINT   -- [GrdX] Blocks in x; kernels only, like all columns up to dynamic shared memory.
--     grid_y                    BIGINT   -- [GrdY] Blocks in y.
--     grid_z                    BIGINT   -- [GrdZ] Blocks in z.
--     block_x                   BIGINT   -- [BlkX] Threads of a block in x.
--     block_y                   BIGINT   -- [BlkY] Threads of a block in y.
--     block_z                   BIGINT   -- [BlkZ] Threads of a block in z.
--     registers_per_thread      BIGINT   -- [Reg/Trd] Registers of a thread.
--     static_shared_mem_bytes   BIGINT   -- [StcSMem (MB)] Static shared memory of a block.
--     dynamic_shared_mem_bytes  BIGINT   -- [DymSMem (MB)] Dynamic shared memory of a block.
--     bytes                     BIGINT   -- [Bytes (MB)] Bytes copied or set.
--     throughput_bytes_per_s    DOUBLE   -- [Throughput (MB/s)] Bytes over duration; NULL without a duration.
--     src_mem_kind              VARCHAR  -- [SrcMemKd] Memory copied from, or set.
--     dst_mem_kind              VARCHAR  -- [DstMemKd] Memory copied to.
--     device                    VARCHAR  -- [Device] GPU name and ordinal.
--     context_id                BIGINT   -- [Ctx] CUDA context.
--     green_context_id          BIGINT   -- [GreenCtx] Green context; NULL if none.
--     stream_id                 BIGINT   -- [Strm] CUDA stream.
--     name                      VARCHAR  -- [Name] Kernel, or such as [CUDA memset].
-- Same as  nsys stats --report cuda_gpu_trace
WITH operation AS (
    -- noqa: disable=LT09
    SELECT 1 AS kind, * REPLACE (name_id_of($name, name_id, short_name_id, mangled_name_id) AS name_id)
    FROM _kernel_ids
    UNION ALL BY NAME
    SELECT 2 AS kind, '[CUDA memcpy ' || direction || ']' AS label, * FROM memcpy
    UNION ALL BY NAME
    SELECT 3 AS kind, '[CUDA memset]' AS label, memory_kind AS src_kind, * FROM memset
)

SELECT
    operation.start_ns,
    operation.dur_ns AS duration_ns,
    operation.correlation_id AS corr_id,
    operation.grid_x,
    operation.grid_y,
    operation.grid_z,
    operation.block_x,
    operation.block_y,
    operation.block_z,
    operation.registers_per_thread,
    operation.static_shared_memory_bytes AS static_shared_mem_bytes,
    operation.dynamic_shared_memory_bytes AS dynamic_shared_mem_bytes,
    operation.bytes,
    CASE
        WHEN $as_nsys THEN operation.bytes * (1000000000 // operation.dur_ns)
        ELSE operation.bytes * 1e9 / nullif(operation.dur_ns, 0)
    END AS throughput_bytes_per_s,
    operation.src_kind AS src_mem_kind,
    operation.dst_kind AS dst_mem_kind,
    coalesce(gpu.name, '') || ' (' || operation.device_id || ')' AS device,
    operation.context_id,
    operation.green_context_id,
    operation.stream_id,
    coalesce(
        operation.label,
        CASE WHEN $nvtx_name THEN coalesce(around.text || '/', '') || string.text ELSE string.text END
    ) AS name
FROM operation
LEFT JOIN string ON operation.name_id = string.id
LEFT JOIN gpu_device ON NOT $as_nsys AND operation.pid = gpu_device.pid AND operation.device_id = gpu_device.device_id
LEFT JOIN gpu ON coalesce(gpu_device.gpu_id, operation.device_id) = gpu.gpu_id
LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND operation.kind = 1 AND operation.row_id = around.row_id
ORDER BY operation.start_ns ASC, operation.kind ASC, operation.row_id ASC
