-- Calls that make the CPU wait for the GPU: cudaDeviceSynchronize and cudaStreamSynchronize.
--
-- Only runtime calls; calls of the driver (cuCtxSynchronize), waits for events and blocking copies are not
-- included.
-- Needs  _synchronize_call
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
    dur_ns AS duration_ns,
    start_ns,
    pid,
    tid,
    name AS api_name
FROM _synchronize_call
WHERE
    ($pid IS NULL OR pid = $pid)
    AND ($tid IS NULL OR tid = $tid)
ORDER BY dur_ns DESC, row_id ASC
LIMIT $top
