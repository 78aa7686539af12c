-- CUDA API calls on the CPU; a thread with several names in the export has a row per name.
--
-- A result that this makes larger than ten million rows is refused.
-- Needs  _api_call_ids
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
WITH repeated AS (
    SELECT sum(_multi_named_thread.names)::BIGINT AS trace_rows
    FROM _api_call_ids AS call
    INNER JOIN _multi_named_thread ON call.thread_id = _multi_named_thread.thread_id
)

SELECT
    call.start_ns,
    call.dur_ns AS duration_ns,
    _api_name.name,
    call.return_value AS result,
    call.correlation_id AS corr_id,
    call.pid,
    call.tid,
    thread.priority AS t_pri,
    thread.name AS thread_name
FROM _api_call_ids AS call
LEFT JOIN _api_name ON call.name_id = _api_name.id
LEFT JOIN thread ON call.thread_id = thread.thread_id
WHERE (SELECT is_readable(repeated.trace_rows) FROM repeated)
ORDER BY call.start_ns ASC, call.row_id ASC, thread.name_id ASC, thread.priority ASC NULLS FIRST
