-- GPU activity as the replay reads it: which call launched it, what it is, and whether its stream is the default one.
--
-- Migrations of unified memory are left out: they come with the kernel or the host code that touches the memory.
-- Needs  _gpu_work_ids
-- Columns
--     is_pageable  BOOLEAN  -- A copy from or to pageable memory.
--     is_null      BOOLEAN  -- On the legacy default stream, as far as the export lists streams.
--     priority     BIGINT   -- Of its stream; 0 if not known. Lower ones go first.
--     gpu_share    DOUBLE   -- Share of the multiprocessors that a kernel needs; NULL if not known.
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
    coalesce(cuda_stream.is_null, FALSE) AS is_null,
    coalesce(cuda_stream.priority, 0)::BIGINT AS priority,
    kernel.gpu_share
FROM _gpu_work_ids AS work
LEFT JOIN string ON work.name_id = string.id
LEFT JOIN _kernel_share AS kernel ON work.kind = 'kernel' AND work.row_id = kernel.row_id
LEFT JOIN cuda_stream
    ON
        work.pid = cuda_stream.pid
        AND work.context_id = cuda_stream.context_id
        AND work.stream_id = cuda_stream.stream_id
WHERE
    work.end_ns > work.start_ns
    AND (work.label IS NULL OR work.label NOT LIKE '[CUDA memcpy Unified %')
