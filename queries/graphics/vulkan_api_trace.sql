-- Vulkan calls on the CPU; a thread with several names in the export has a row per name.
--
-- Includes batches of submitted work (class 93). A result that thread names make larger than ten million rows is
-- refused.
-- Needs  vulkan_call
-- Columns
--     start_ns     BIGINT   -- [Start (ns)] Start of the call.
--     duration_ns  BIGINT   -- [Duration (ns)] Duration.
--     name         VARCHAR  -- [Name] Function, with version suffix.
--     event_class  BIGINT   -- [Event Class] 53 for calls, 93 for batches of submitted work.
--     context      BIGINT   -- [Context] Context.
--     corr_id      BIGINT   -- [CorrID] Shared with other events of the call.
--     pid          BIGINT   -- [Pid] Process.
--     tid          BIGINT   -- [Tid] Thread.
--     t_pri        BIGINT   -- [T-Pri] The thread's priority.
--     thread_name  VARCHAR  -- [Thread Name] The thread's name.
-- Same as  nsys stats --report vulkan_api_trace
WITH repeated AS (
    SELECT sum(_multi_named_thread.names)::BIGINT AS trace_rows
    FROM vulkan_call AS call
    INNER JOIN _multi_named_thread ON call.thread_id = _multi_named_thread.thread_id
)

SELECT
    call.start_ns,
    call.dur_ns AS duration_ns,
    string.text AS name,
    call.event_class,
    call.context_id AS context,
    call.correlation_id AS corr_id,
    call.pid,
    call.tid,
    thread.priority AS t_pri,
    thread.name AS thread_name
FROM vulkan_call AS call
LEFT JOIN string ON call.name_id = string.id
LEFT JOIN thread ON call.thread_id = thread.thread_id
WHERE (SELECT is_readable(repeated.trace_rows) FROM repeated)
ORDER BY call.start_ns ASC, call.row_id ASC, thread.name_id ASC, thread.priority ASC NULLS FIRST
