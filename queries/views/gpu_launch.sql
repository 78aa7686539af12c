-- A CUDA API call that launched GPU work.
--
-- Needs  api_call_record, gpu_work_record
-- Columns
--     row_id          BIGINT  -- Position in the export's table.
--     thread_id       BIGINT  -- Thread (globalTid).
--     start_ns        BIGINT  -- Start of the call.
--     end_ns          BIGINT  -- Return of the call.
--     correlation_id  BIGINT  -- Shared with the work, in the thread's process.
SELECT
    call.row_id,
    call.thread_id,
    call.start_ns,
    call.end_ns,
    call.correlation_id
FROM api_call_record AS call
SEMI JOIN gpu_work_record AS work
    ON
        call.process_id = work.process_id
        AND call.correlation_id = work.correlation_id
