-- CUDA API calls that launched GPU work.
--
-- Needs  _api_call_ids, _gpu_work_ids
-- Columns
--     correlation_id  BIGINT  -- Shared with the work, in the thread's process.
SELECT
    call.row_id,
    call.thread_id,
    call.start_ns,
    call.end_ns,
    call.correlation_id
FROM _api_call_ids AS call
SEMI JOIN _gpu_work_ids AS work ON call.process_id = work.process_id AND call.correlation_id = work.correlation_id
