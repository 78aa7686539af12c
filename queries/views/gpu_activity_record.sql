-- A piece of work that keeps a GPU busy, as recorded, in numbers only: the idle ledger's busy side.
--
-- As `gpu_activity`: rows of no length do no work, and rows with start = end = 0 carry no timestamp.
-- Needs  gpu_work_record
-- Columns
--     gpu_id          BIGINT   -- Physical GPU.
--     start_ns        BIGINT   -- Start on the GPU.
--     end_ns          BIGINT   -- End on the GPU.
--     kind            ENUM('kernel', 'memcpy', 'memset', 'graph')  -- Kind of work.
--     detail_id       BIGINT   -- Which of its kind: name number of a kernel, direction of a copy, graph id.
--     row_id          BIGINT   -- Position in the export's table of that kind.
--     process_id      BIGINT   -- Process (globalPid).
--     stream_id       BIGINT   -- CUDA stream.
--     correlation_id  BIGINT   -- Shared with the launching call of the process.
--     short_name_id   BIGINT   -- Function, by its name without signature; kernels only.
--     is_pageable     BOOLEAN  -- A copy from or to pageable memory.
SELECT
    gpu_id,
    start_ns,
    end_ns,
    kind::ENUM('kernel', 'memcpy', 'memset', 'graph') AS kind,
    detail_id,
    row_id,
    process_id,
    stream_id,
    correlation_id,
    short_name_id,
    is_pageable
FROM gpu_work_record
WHERE end_ns > start_ns
