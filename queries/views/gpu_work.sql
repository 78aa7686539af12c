-- GPU work: kernels, memcpys, memsets and CUDA graphs traced as a whole, including rows without timestamps.
--
-- Needs  _gpu_work_ids
-- Columns
--     _gpu_work_ids: kind, row_id, start_ns, end_ns, dur_ns, process_id, pid, device_id, gpu_id, context_id, stream_id
--     _gpu_work_ids: correlation_id, graph_node_id, bytes, blocks
--     name  VARCHAR  -- Kernel name (demangled), else such as [CUDA memcpy Host-to-Device].
SELECT
    _gpu_work_ids.* EXCLUDE (name_id, function_id, detail_id, is_pageable, label),
    coalesce(_gpu_work_ids.label, string.text) AS name
FROM _gpu_work_ids
LEFT JOIN string ON _gpu_work_ids.name_id = string.id
