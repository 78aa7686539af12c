-- A piece of GPU work that a recorded call launched, in the order of the calls.
--
-- For what repeats: of two pieces with the same process, kind and detail the program did the same. Rows without a
-- length and work whose call was not recorded are left out.
-- Needs  _gpu_work_ids
-- Parameters
--     top          BIGINT = NULL    -- Keep the first of all processes; NULL keeps all.
--     per_process  BOOLEAN = false  -- Keep each process's devices apart; gpu_id is then pid * 1000 + ordinal.
-- Columns
--     process_id    BIGINT   -- Process (globalPid).
--     gpu_id        BIGINT   -- Physical GPU.
--     kind          VARCHAR  -- kernel, memcpy, memset or graph.
--     detail_id     BIGINT   -- Which of its kind: name number of a kernel, direction of a copy, graph id.
--     api_start_ns  BIGINT   -- Start of the call.
--     start_ns      BIGINT   -- Start on the GPU.
--     end_ns        BIGINT   -- End on the GPU.
SELECT
    process_id,
    gpu_id,
    kind::VARCHAR AS kind,
    detail_id,
    api_start_ns,
    start_ns,
    end_ns
FROM _activity_launch
WHERE api_start_ns IS NOT NULL
ORDER BY api_start_ns ASC, process_id ASC, start_ns ASC, kind ASC, row_id ASC
LIMIT $top
