-- A piece of work on a GPU: kernel, copy, set or whole graph run, kernel names still numbers of `string`.
--
-- For queries that group or sweep before they look up text; `gpu_work` has the names. A question that keeps
-- each process's devices apart (per_process) sets the variable of that name.
-- Needs  kernel_record or memcpy or memset or graph_trace
-- Columns
--     kind            VARCHAR  -- kernel, memcpy, memset or graph.
--     row_id          BIGINT   -- Position in the export's table of that kind.
--     start_ns        BIGINT   -- Start on the GPU.
--     end_ns          BIGINT   -- End on the GPU.
--     dur_ns          BIGINT   -- Duration.
--     process_id      BIGINT   -- Process (globalPid).
--     pid             BIGINT   -- The operating system's process number.
--     device_id       BIGINT   -- CUDA ordinal within the process.
--     gpu_id          BIGINT   -- Physical GPU (view gpu_of_device).
--     context_id      BIGINT   -- CUDA context.
--     stream_id       BIGINT   -- CUDA stream.
--     correlation_id  BIGINT   -- Shared with the launching call of the process.
--     graph_node_id   BIGINT   -- CUDA graph node that ran it; NULL if launched singly.
--     bytes           BIGINT   -- Bytes copied or set; NULL for kernels and graphs.
--     blocks          BIGINT   -- Thread blocks; kernels only.
--     name_id         BIGINT   -- Demangled name; kernels only.
--     short_name_id   BIGINT   -- Name without signature; kernels only.
--     detail_id       BIGINT   -- Which of its kind: name_id of a kernel, direction of a copy, graph id; 0 for sets.
--     is_pageable     BOOLEAN  -- From or to pageable memory; copies only.
--     label           VARCHAR  -- NVIDIA's name of the operation; NULL for kernels.
WITH work AS (
    SELECT
        'kernel' AS kind,
        kernel_record.row_id,
        kernel_record.start_ns,
        kernel_record.end_ns,
        kernel_record.dur_ns,
        kernel_record.process_id,
        kernel_record.pid,
        kernel_record.device_id,
        coalesce(gpu_of_device.gpu_id, kernel_record.device_id) AS gpu_id,
        kernel_record.context_id,
        kernel_record.stream_id,
        kernel_record.correlation_id,
        kernel_record.graph_node_id,
        NULL::BIGINT AS bytes,
        kernel_record.grid_x * kernel_record.grid_y * kernel_record.grid_z AS blocks,
        kernel_record.name_id,
        kernel_record.short_name_id,
        kernel_record.name_id AS detail_id,
        NULL::BOOLEAN AS is_pageable,
        NULL::VARCHAR AS label
    FROM kernel_record
    LEFT JOIN gpu_of_device
        ON
            kernel_record.pid = gpu_of_device.pid
            AND kernel_record.device_id = gpu_of_device.device_id
    UNION ALL
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
        NULL AS blocks,
        NULL AS name_id,
        NULL AS short_name_id,
        copy_kind AS detail_id,
        src_kind = 'Pageable' OR dst_kind = 'Pageable' AS is_pageable,
        '[CUDA memcpy ' || coalesce(direction, 'Unknown') || ']' AS label
    FROM memcpy
    UNION ALL
    SELECT
        'memset' AS kind,
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
        NULL AS blocks,
        NULL AS name_id,
        NULL AS short_name_id,
        0 AS detail_id,
        NULL AS is_pageable,
        '[CUDA memset]' AS label
    FROM memset
    UNION ALL
    SELECT
        'graph' AS kind,
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
        NULL AS graph_node_id,
        NULL AS bytes,
        NULL AS blocks,
        NULL AS name_id,
        NULL AS short_name_id,
        graph_id AS detail_id,
        NULL AS is_pageable,
        '[CUDA graph ' || coalesce(graph_id::VARCHAR, 'Unknown') || ']' AS label
    FROM graph_trace
)

SELECT * REPLACE (CASE WHEN getvariable('per_process') THEN pid * 1000 + device_id ELSE gpu_id END AS gpu_id)
FROM work
