-- A CUDA API call on the CPU, once per name that the export gives its thread.
--
-- Needs  api_call_record
-- Columns
--     start_ns     BIGINT   -- [Start (ns)] Start of the call.
--     duration_ns  BIGINT   -- [Duration (ns)] Duration.
--     name         VARCHAR  -- [Name] Function, without version suffix.
--     result       BIGINT   -- [Result] CUDA's result code; 0 is success.
--     corr_id      BIGINT   -- [CorrID] Correlation id, unique within a process.
--     pid          BIGINT   -- [Pid] Process.
--     tid          BIGINT   -- [Tid] Thread.
--     t_pri        BIGINT   -- [T-Pri] The thread's priority.
--     thread_name  VARCHAR  -- [Thread Name] The thread's name.
-- Same as  nsys stats --report cuda_api_trace
SELECT
    call.start_ns,
    call.dur_ns AS duration_ns,
    api_name.name,
    call.return_value AS result,
    call.correlation_id AS corr_id,
    call.pid,
    call.tid,
    thread.priority AS t_pri,
    thread.name AS thread_name
FROM api_call_record AS call
LEFT JOIN api_name ON call.name_id = api_name.id
LEFT JOIN thread ON call.thread_id = thread.thread_id
ORDER BY call.start_ns ASC, call.row_id ASC, thread.name_id ASC, thread.priority ASC NULLS FIRST
