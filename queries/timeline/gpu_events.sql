-- GPU work for a timeline: its row, its times, and its launch arguments.
--
-- Rows without a time, of zero length, or with an end before their start are left out.
-- Needs  gpu_work
-- Columns
--     usual: gpu_id, process_id
--     pid                          BIGINT   -- Process.
--     gpu_work: device_id, context_id, stream_id, start_ns, end_ns, kind, row_id
--     name                         VARCHAR  -- Kernel, or such as [CUDA memset].
--     is_communication             BOOLEAN  -- A kernel of a communication library.
--     correlation_id               BIGINT   -- Shared with the launching call of the process.
--     bytes                        BIGINT   -- Bytes copied or set.
--     _kernel_ids: grid_x, grid_y, grid_z, block_x
--     _kernel_ids: block_y, block_z, registers_per_thread, static_shared_memory_bytes, dynamic_shared_memory_bytes
SELECT
    work.gpu_id,
    work.process_id,
    work.pid,
    work.device_id,
    work.context_id,
    work.stream_id,
    work.start_ns,
    work.end_ns,
    work.kind,
    work.row_id,
    work.name,
    coalesce(communication_kernel.name_id IS NOT NULL, false) AS is_communication,
    work.correlation_id,
    work.bytes,
    launched.grid_x,
    launched.grid_y,
    launched.grid_z,
    launched.block_x,
    launched.block_y,
    launched.block_z,
    launched.registers_per_thread,
    launched.static_shared_memory_bytes,
    launched.dynamic_shared_memory_bytes
FROM gpu_work AS work
LEFT JOIN _kernel_ids AS launched ON CASE WHEN work.kind = 'kernel' THEN work.row_id END = launched.row_id
LEFT JOIN communication_kernel ON launched.name_id = communication_kernel.name_id
WHERE work.end_ns > work.start_ns
ORDER BY work.gpu_id ASC, work.start_ns ASC, work.kind ASC, work.row_id ASC
