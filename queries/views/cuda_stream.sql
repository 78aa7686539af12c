-- CUDA streams of each process, with their kind.
--
-- Engine  table
-- Columns
--     usual: pid, context_id, stream_id
--     is_null      BOOLEAN  -- The legacy default stream: it waits for blocking streams, and they wait for it.
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
