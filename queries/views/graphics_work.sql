-- Graphics work on a GPU: Vulkan, OpenGL and Direct3D 12.
--
-- Needs  VULKAN_WORKLOAD or OPENGL_WORKLOAD or DX12_WORKLOAD
-- Columns
--     api         VARCHAR  -- vulkan, opengl or dx12.
--     row_id      BIGINT   -- Position in the export's table of that API.
--     graph_trace: start_ns, end_ns, dur_ns, process_id, pid
--     device_id   BIGINT   -- GPU.
--     context_id  BIGINT   -- Context.
--     text_id     BIGINT   -- Debug marker around it, as a number of `string`; NULL if none.
WITH work AS (
    -- noqa: disable=LT09
    SELECT 'vulkan' AS api, * FROM raw.VULKAN_WORKLOAD
    UNION ALL BY NAME
    SELECT 'opengl' AS api, * FROM raw.OPENGL_WORKLOAD
    UNION ALL BY NAME
    SELECT 'dx12' AS api, shortContextId AS contextId, * FROM raw.DX12_WORKLOAD
)

SELECT
    api,
    rowid AS row_id,
    start AS start_ns,
    "end" AS end_ns,
    "end" - start AS dur_ns,
    process_of(globalTid) AS process_id,
    pid_of(globalTid) AS pid,
    gpu AS device_id,
    contextId AS context_id,
    textId AS text_id
FROM work
