-- Kernels: one row per execution of a GPU function.
--
-- Needs  _kernel_ids
-- Columns
--     _kernel_ids: row_id, start_ns, end_ns, dur_ns, process_id, pid, device_id, context_id, green_context_id
--     _kernel_ids: stream_id, correlation_id, graph_node_id, name_id, short_name_id, mangled_name_id, grid_x, grid_y
--     _kernel_ids: grid_z, block_x, block_y, block_z, registers_per_thread, static_shared_memory_bytes
--     _kernel_ids: dynamic_shared_memory_bytes, cluster_blocks
--     gpu_id      BIGINT   -- Physical GPU (view gpu_device).
--     name        VARCHAR  -- Demangled name, with its signature.
--     short_name  VARCHAR  -- Name without signature.
SELECT
    _kernel_ids.*,
    coalesce(gpu_device.gpu_id, _kernel_ids.device_id) AS gpu_id,
    demangled.text AS name,
    short.text AS short_name
FROM _kernel_ids
LEFT JOIN gpu_device ON _kernel_ids.pid = gpu_device.pid AND _kernel_ids.device_id = gpu_device.device_id
LEFT JOIN string AS demangled ON _kernel_ids.name_id = demangled.id
LEFT JOIN string AS short ON _kernel_ids.short_name_id = short.id
