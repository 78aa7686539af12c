-- CUDA and OS runtime calls whose call stack is recorded, with the function that the stack is attributed to.
--
-- As the view call_site attributes it; calls whose stack has no such function are left out.
-- Columns
--     source     VARCHAR  -- NVIDIA's table of the call.
--     row_id     BIGINT   -- Position in that table.
--     function   VARCHAR  -- The function.
--     module     VARCHAR  -- The file of its module.
--     is_python  BOOLEAN  -- The stack passes through the Python interpreter.
SELECT
    called.source,
    called.row_id,
    call_site.function,
    call_site.module,
    _interpreter_stack.chain_id IS NOT NULL AS is_python
FROM _stack_call AS called
INNER JOIN call_site
    ON
        called.source = call_site.source
        AND called.callchain_id = call_site.chain_id
LEFT JOIN _interpreter_stack
    ON
        called.source = _interpreter_stack.source
        AND called.callchain_id = _interpreter_stack.chain_id
