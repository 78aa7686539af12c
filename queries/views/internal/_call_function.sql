-- CUDA and OS runtime calls whose call stack is recorded, with the function that the stack is attributed to.
--
-- As the view call_site attributes it; calls whose stack has no such function are left out.
-- Columns
--     _stack_call: source, row_id
--     _call_stack: function, module, is_python
SELECT
    called.source,
    called.row_id,
    stack.function,
    stack.module,
    stack.is_python
FROM _stack_call AS called
INNER JOIN _call_stack AS stack ON called.source = stack.source AND called.callchain_id = stack.chain_id
WHERE stack.function IS NOT NULL
