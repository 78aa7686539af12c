-- A call that makes the CPU wait for the GPU: cudaDeviceSynchronize or cudaStreamSynchronize.
--
-- Of the CUDA runtime only; calls of the driver (cuCtxSynchronize), waits for events and copies that wait
-- are not among them.
-- Needs  api_call_record
-- Parameters
--     pid      BIGINT = NULL    -- Only calls of this process.
--     tid      BIGINT = NULL    -- Only calls of this thread.
--     top      BIGINT = NULL    -- Longest calls to keep; NULL keeps all.
-- Columns
--     duration_ns  BIGINT   -- [Duration (ns)] Duration.
--     start_ns     BIGINT   -- [Start (ns)] Start.
--     pid          BIGINT   -- [PID] Process.
--     tid          BIGINT   -- [TID] Thread.
--     api_name     VARCHAR  -- [API Name] Function, with version suffix.
-- Same as  nsys analyze --rule cuda_api_sync
SELECT
    call.dur_ns AS duration_ns,
    call.start_ns,
    call.pid,
    call.tid,
    string.text AS api_name
FROM api_call_record AS call
INNER JOIN string ON call.name_id = string.id
WHERE
    (string.text ILIKE 'cudaDeviceSynchronize%' OR string.text ILIKE 'cudaStreamSynchronize%')
    AND ($pid IS NULL OR call.pid = $pid)
    AND ($tid IS NULL OR call.tid = $tid)
ORDER BY call.dur_ns DESC, call.row_id ASC
LIMIT $top
