-- CUDA API calls that launched several pieces of work: nodes of a graph, parts of a batched call.
--
-- Stored: it groups all work.
-- Needs  _gpu_work_ids
-- Engine  stored; whole
-- Columns
--     call_id   BIGINT  -- Position of the call in the export's table.
--     start_ns  BIGINT  -- Start of the first of them on a GPU.
--     end_ns    BIGINT  -- End of the last.
SELECT
    call_id,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns
FROM _activity_launch
WHERE call_id IS NOT NULL
GROUP BY call_id
HAVING count(*) > 1
