-- GPU work with its launch call: what _launch_extent aggregates by call.
--
-- Needs  _api_call_ids, _gpu_work_ids
-- Columns
--     row_id          BIGINT   -- Position of the call in the export's table.
--     thread_id       BIGINT   -- Thread of the call (globalTid).
--     call_ns         BIGINT   -- Start of the call.
--     return_ns       BIGINT   -- Return of the call.
--     is_graph        BOOLEAN  -- The work is a CUDA graph traced as a whole.
SELECT
    call.row_id,
    call.thread_id,
    call.start_ns AS call_ns,
    call.end_ns AS return_ns,
    call.correlation_id,
    work.start_ns,
    work.end_ns,
    work.kind = 'graph' AS is_graph
FROM _gpu_work_ids AS work
INNER JOIN _api_call_ids AS call ON work.process_id = call.process_id AND work.correlation_id = call.correlation_id
