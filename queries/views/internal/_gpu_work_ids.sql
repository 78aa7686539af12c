-- GPU work: kernels, memcpys, memsets and CUDA graphs traced as a whole, with kernel names as ids of `string`.
--
-- For queries that aggregate or sweep before joining the text; `gpu_work` has the names. A question that keeps
-- each process's devices apart (per_process) sets the variable of that name.
-- Needs  _kernel_ids or memcpy or memset or graph_trace
-- Columns
--     kind            VARCHAR  -- kernel, memcpy, memset or graph.
--     row_id          BIGINT   -- Position in the export's table of that kind.
--     graph_trace: start_ns, end_ns, dur_ns, process_id, pid, device_id, gpu_id
--     _kernel_ids: context_id, stream_id, correlation_id, graph_node_id
--     bytes           BIGINT   -- Bytes copied or set; NULL for kernels and graphs.
--     blocks          BIGINT   -- Thread blocks; kernels only.
--     name_id         BIGINT   -- Demangled name; kernels only.
--     function_id     BIGINT   -- Mangled name, else the demangled one: what is loaded at once; kernels only.
--     detail_id       BIGINT   -- Which of its kind: name_id of a kernel, direction of a copy, graph id; 0 for sets.
--     is_pageable     BOOLEAN  -- From or to pageable memory; copies only.
--     label           VARCHAR  -- NVIDIA's name of the operation; NULL for kernels.
WITH work AS (
    SELECT
        'kernel' AS kind,
        _kernel_ids.row_id,
        _kernel_ids.start_ns,
        _kernel_ids.end_ns,
        _kernel_ids.dur_ns,
        _kernel_ids.process_id,
        _kernel_ids.pid,
        _kernel_ids.device_id,
        coalesce(gpu_device.gpu_id, _kernel_ids.device_id) AS gpu_id,
        _kernel_ids.context_id,
        _kernel_ids.stream_id,
        _kernel_ids.correlation_id,
        _kernel_ids.graph_node_id,
        NULL::BIGINT AS bytes,
        _kernel_ids.grid_x * _kernel_ids.grid_y * _kernel_ids.grid_z AS blocks,
        _kernel_ids.name_id,
        coalesce(_kernel_ids.mangled_name_id, _kernel_ids.name_id) AS function_id,
        _kernel_ids.name_id AS detail_id,
        NULL::BOOLEAN AS is_pageable,
        NULL::VARCHAR AS label
    FROM _kernel_ids
    LEFT JOIN gpu_device ON _kernel_ids.pid = gpu_device.pid AND _kernel_ids.device_id = gpu_device.device_id
    UNION ALL BY NAME
    SELECT
        'memcpy' AS kind,
        row_id,
        start_ns,
        end_ns,
        dur_ns,
        process_id,
        pid,
        device_id,
        gpu_id,
        context_id,
        stream_id,
        correlation_id,
        graph_node_id,
        bytes,
        copy_kind AS detail_id,
        src_kind = 'Pageable' OR dst_kind = 'Pageable' AS is_pageable,
        '[CUDA memcpy ' || coalesce(direction, 'Unknown') || ']' AS label
    FROM memcpy
    UNION ALL BY NAME
    SELECT
        'memset' AS kind,
        * EXCLUDE (green_context_id, memory_kind),
        0 AS detail_id,
        '[CUDA memset]' AS label
    FROM memset
    UNION ALL BY NAME
    SELECT
        'graph' AS kind,
        * EXCLUDE (green_context_id, graph_id, graph_exec_id),
        graph_id AS detail_id,
        '[CUDA graph ' || coalesce(graph_id::VARCHAR, 'Unknown') || ']' AS label
    FROM graph_trace
)

SELECT * REPLACE (CASE WHEN getvariable('per_process') THEN pid * 1000 + device_id ELSE gpu_id END AS gpu_id)
FROM work
