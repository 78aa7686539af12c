-- CPU samples with the function that their call stack is attributed to, and what was running.
--
-- Needs  COMPOSITE_EVENTS
-- Columns
--     cpu_sample: thread_id, start_ns
SELECT
    sample.thread_id,
    sample.start_ns,
    stack.function,
    stack.module,
    coalesce(stack.is_python, false) AS is_python,
    coalesce(stack.ran, 'native') AS ran
FROM cpu_sample AS sample
LEFT JOIN _call_stack AS stack ON sample.chain_id = stack.chain_id AND stack.source = 'COMPOSITE_EVENTS'
