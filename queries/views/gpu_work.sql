-- GPU work: kernels, memcpys, memsets and CUDA graphs traced as a whole, rows without timestamps included.
--
-- Needs  _gpu_work_ids
-- Columns
--     name  VARCHAR  -- Kernel name (demangled), else such as [CUDA memcpy Host-to-Device].
SELECT
    _gpu_work_ids.* EXCLUDE (name_id, function_id, detail_id, is_pageable, label),
    coalesce(_gpu_work_ids.label, string.text) AS name
FROM _gpu_work_ids
LEFT JOIN string ON _gpu_work_ids.name_id = string.id
