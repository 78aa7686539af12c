-- CUDA streams of each process, with their kind.
--
-- Engine  table
-- Columns
--     pid          BIGINT   -- The operating system's process number.
--     context_id   BIGINT   -- CUDA context.
--     stream_id    BIGINT   -- CUDA stream.
--     is_null      BOOLEAN  -- The legacy default stream, which waits for blocking streams and they for it.
--     is_blocking  BOOLEAN  -- The stream is not created as non-blocking.
--     priority     BIGINT   -- Priority.
SELECT
    processId AS pid,
    contextId AS context_id,
    streamId AS stream_id,
    flag = 3 AS is_null,
    flag <> 2 AS is_blocking,
    priority
FROM raw.TARGET_INFO_CUDA_STREAM
