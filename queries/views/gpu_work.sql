-- A piece of work on a GPU: kernel, copy, set or whole graph run, rows without timestamps included.
--
-- Needs  gpu_work_record
-- Columns
--     name  VARCHAR  -- Kernel name (demangled), else such as [CUDA memcpy Host-to-Device].
SELECT
    gpu_work_record.* EXCLUDE (name_id, short_name_id, detail_id, is_pageable, label),
    coalesce(gpu_work_record.label, string.text) AS name
FROM gpu_work_record
LEFT JOIN string ON gpu_work_record.name_id = string.id
