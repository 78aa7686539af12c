-- CUDA and OS runtime calls whose call stack is recorded, with the function that the stack is attributed to, if any.
--
-- Needs  _api_call_ids or _os_call_ids
-- Columns
--     _call_stack: source
--     row_id  BIGINT  -- Position in that table.
WITH call AS (
    -- noqa: disable=LT09
    SELECT 'CUPTI_ACTIVITY_KIND_RUNTIME' AS source, * FROM _api_call_ids
    UNION ALL BY NAME
    SELECT 'OSRT_API' AS source, * FROM _os_call_ids
)

SELECT
    call.source,
    call.row_id,
    stack.function,
    stack.module,
    stack.leaf,
    stack.is_python
FROM call
LEFT JOIN _call_stack AS stack ON call.source = stack.source AND call.callchain_id = stack.chain_id
WHERE call.callchain_id > 0
