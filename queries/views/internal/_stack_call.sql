-- CUDA and OS runtime calls whose call stack is recorded.
--
-- Needs  _api_call_ids or _os_call_ids
-- Columns
--     source        VARCHAR  -- NVIDIA's table of the call.
--     row_id        BIGINT   -- Position in that table.
--     callchain_id  BIGINT   -- The stack.
SELECT
    'CUPTI_ACTIVITY_KIND_RUNTIME' AS source,
    row_id,
    callchain_id
FROM _api_call_ids
WHERE callchain_id > 0
UNION ALL
SELECT
    'OSRT_API' AS source,
    row_id,
    callchain_id
FROM _os_call_ids
WHERE callchain_id > 0
