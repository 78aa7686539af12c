-- GPU activity with the call that launched it and, as one number, what it is: what steps are found by.
--
-- Two pieces of work have the same symbol that are the same kernel, a copy of the same direction between the same
-- kinds of memory, a set, or the same executable graph.
-- Needs  _gpu_work_ids
-- Columns
--     process_id    BIGINT   -- Process (globalPid).
--     thread_id     BIGINT   -- Thread that launched it (globalTid).
--     call_id       BIGINT   -- Position of the call in the export's table.
--     api_start_ns  BIGINT   -- Start of the call.
--     api_end_ns    BIGINT   -- Return of the call.
--     gpu_id        BIGINT   -- Physical GPU.
--     start_ns      BIGINT   -- Start on the GPU.
--     end_ns        BIGINT   -- End on the GPU.
--     symbol        BIGINT   -- What it is.
--     is_run        BOOLEAN  -- A kernel or a graph.
WITH copy_memory AS (
    SELECT
        rowid AS row_id,
        coalesce(srcKind, 255) * 256 + coalesce(dstKind, 255) AS memory
    FROM raw.CUPTI_ACTIVITY_KIND_MEMCPY
),

executable AS (
    SELECT
        row_id,
        graph_exec_id
    FROM graph_trace
),

-- With the row to join as a column: a condition on the left side alone would compare all rows with all.
work AS (
    SELECT
        *,
        CASE WHEN kind = 'memcpy' THEN row_id END AS copy_row_id,
        CASE WHEN kind = 'graph' THEN row_id END AS graph_row_id
    FROM _activity_launch
    WHERE call_id IS NOT NULL
)

SELECT
    work.process_id,
    work.thread_id,
    work.call_id,
    work.api_start_ns,
    work.api_end_ns,
    work.gpu_id,
    work.start_ns,
    work.end_ns,
    CASE work.kind
        WHEN 'kernel' THEN coalesce(work.detail_id, -1) * 4
        WHEN 'memcpy' THEN (coalesce(work.detail_id, -1) * 65536 + copy_memory.memory) * 4 + 1
        WHEN 'memset' THEN 2
        ELSE coalesce(executable.graph_exec_id, work.detail_id, -1) * 4 + 3
    END::BIGINT AS symbol,
    work.kind IN ('kernel', 'graph') AS is_run
FROM work
LEFT JOIN copy_memory ON work.copy_row_id = copy_memory.row_id
LEFT JOIN executable ON work.graph_row_id = executable.row_id
