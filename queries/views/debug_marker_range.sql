-- Ranges between two debug-marker calls of a thread, for Vulkan, Direct3D 11 and Direct3D 12.
--
-- The call that begins a marker carries its text; the call that ends it has none, and shares thread and
-- correlation id with it. The marker lasts from the return of the first to the start of the second. A
-- begin without an end is left out; a begin with two ends has two rows.
-- Needs  VULKAN_DEBUG_API or D3D11_PIX_DEBUG_API or D3D12_PIX_DEBUG_API
-- Columns
--     api         VARCHAR  -- vulkan, dx11 or dx12.
--     row_id      BIGINT   -- Position of the begin in the export's table of that API.
--     end_row_id  BIGINT   -- Position of the end there.
--     start_ns    BIGINT   -- Return of the begin.
--     end_ns      BIGINT   -- Start of the end.
--     dur_ns      BIGINT   -- Duration; negative if the end came before the begin returned.
--     usual: thread_id, process_id, pid, tid
--     text_id     BIGINT   -- Text, as a number of `string`.
WITH marker_call AS (
    -- noqa: disable=LT09
    SELECT 'vulkan' AS api, * FROM raw.VULKAN_DEBUG_API
    UNION ALL BY NAME
    SELECT 'dx11' AS api, * FROM raw.D3D11_PIX_DEBUG_API
    UNION ALL BY NAME
    SELECT 'dx12' AS api, * FROM raw.D3D12_PIX_DEBUG_API
)

SELECT
    opening.api,
    opening.rowid AS row_id,
    closing.rowid AS end_row_id,
    unnest(thread_times(opening."end", closing.start, opening.globalTid)) AS marked,
    opening.textId AS text_id
FROM marker_call AS opening
INNER JOIN marker_call AS closing
    ON
        opening.api = closing.api
        AND opening.correlationId = closing.correlationId
        AND opening.globalTid = closing.globalTid
WHERE opening.textId IS NOT NULL AND closing.textId IS NULL
