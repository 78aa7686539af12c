-- GPU activity as the replay reads it: which call launched it, what it is, and whether its stream is the default one.
--
-- Migrations of unified memory are left out: they come with the kernel or the host code that touches the memory.
-- Needs  _gpu_work_ids
-- Columns
--     is_pageable  BOOLEAN  -- A copy from or to pageable memory.
--     is_null      BOOLEAN  -- On the legacy default stream, as far as the export lists streams.
SELECT
    work.process_id,
    work.gpu_id,
    work.context_id,
    work.stream_id,
    work.correlation_id,
    work.kind,
    work.start_ns,
    work.end_ns,
    work.bytes,
    coalesce(work.label, string.text) AS name,
    work.is_pageable,
    coalesce(cuda_stream.is_null, FALSE) AS is_null
FROM _gpu_work_ids AS work
LEFT JOIN string ON work.name_id = string.id
LEFT JOIN cuda_stream
    ON
        work.pid = cuda_stream.pid
        AND work.context_id = cuda_stream.context_id
        AND work.stream_id = cuda_stream.stream_id
WHERE
    work.end_ns > work.start_ns
    AND (work.label IS NULL OR work.label NOT LIKE '[CUDA memcpy Unified %')
