-- Kernels whose launch call is in an NVTX range, with the innermost range.
--
-- The innermost is the range around the call, on its thread, that started last, whatever its style or domain;
-- if several started together, the first row. Kernels are left out if that range has no text, or if the call
-- is outside of ranges.
-- Needs  _unfiltered_nvtx_range_launch
-- Columns
--     row_id  BIGINT   -- Position of the kernel in the export's table.
--     text    VARCHAR  -- The range's text, without its domain.
WITH innermost AS (
    SELECT
        call_row_id,
        arg_max(range_row_id, row(range_start_ns, -range_row_id)) AS range_row_id
    FROM _unfiltered_nvtx_range_launch
    GROUP BY call_row_id
),

ranged_call AS (
    SELECT
        process_of(call.globalTid) AS process_id,
        call.correlationId AS correlation_id,
        min(innermost.range_row_id) AS range_row_id
    FROM unfiltered.CUPTI_ACTIVITY_KIND_RUNTIME AS call
    INNER JOIN innermost ON call.rowid = innermost.call_row_id
    GROUP BY process_id, correlation_id
)

SELECT
    kernel.rowid AS row_id,
    coalesce(string.text, event.text) AS text
FROM unfiltered.CUPTI_ACTIVITY_KIND_KERNEL AS kernel
INNER JOIN ranged_call
    ON kernel.globalPid = ranged_call.process_id AND kernel.correlationId = ranged_call.correlation_id
INNER JOIN unfiltered.NVTX_EVENTS AS event ON ranged_call.range_row_id = event.rowid
LEFT JOIN string ON event.textId = string.id
WHERE coalesce(string.text, event.text) IS NOT NULL
