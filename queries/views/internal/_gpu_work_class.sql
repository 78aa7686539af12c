-- GPU work as integers, with its class for GPU utilization.
--
-- As _gpu_work_ids, but prefetched migrations of unified memory have the call that prefetched them. Work that began in
-- the capture and ends far beyond it (view _capture_end) ends with the capture. A kernel is small if it has fewer blocks
-- than the GPU has SMs.
-- Needs  _gpu_work_ids
-- Columns
--     gpu_id            BIGINT   -- Physical GPU.
--     _gpu_work_ids: process_id, device_id, context_id, stream_id, start_ns, end_ns
--     kind              ENUM('kernel', 'memcpy', 'memset', 'graph')  -- Kind of work.
--     detail_id         BIGINT   -- Which of its kind: name number of a kernel, direction of a copy, graph id.
--     row_id            BIGINT   -- Position in the export's table of that kind.
--     correlation_id    BIGINT   -- Shared with the launching call of the process.
--     function_id       BIGINT   -- Function, by its mangled name, else the demangled one; kernels only.
--     is_pageable       BOOLEAN  -- A copy from or to pageable memory.
--     is_communication  BOOLEAN  -- A communication kernel (view communication_kernel).
--     is_small          BOOLEAN  -- A small kernel; NULL if the export does not say how many SMs there are.
SELECT
    work.gpu_id,
    work.process_id,
    work.device_id,
    work.context_id,
    work.stream_id,
    work.start_ns,
    CASE
        WHEN work.start_ns < capture.end_ns AND work.end_ns > capture.far_ns THEN capture.end_ns
        ELSE work.end_ns
    END AS end_ns,
    work.kind::ENUM('kernel', 'memcpy', 'memset', 'graph') AS kind,
    work.detail_id,
    work.row_id,
    coalesce(_prefetched.correlation_id, work.correlation_id) AS correlation_id,
    work.function_id,
    work.is_pageable,
    communication_kernel.name_id IS NOT NULL AS is_communication,
    CASE WHEN gpu.sm_count IS NOT NULL THEN coalesce(work.blocks < gpu.sm_count, false) END AS is_small
FROM _gpu_work_ids AS work
CROSS JOIN _capture_end AS capture
LEFT JOIN _prefetched ON work.kind = 'memcpy' AND work.row_id = _prefetched.row_id
LEFT JOIN communication_kernel ON work.name_id = communication_kernel.name_id
LEFT JOIN gpu ON CASE WHEN getvariable('per_process') THEN work.device_id ELSE work.gpu_id END = gpu.gpu_id
