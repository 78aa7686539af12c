-- A CUDA API call that launched several pieces of work: a graph's nodes, or the parts of one batched call.
--
-- Needs  gpu_work_record
-- Given by  nsysql.idle.ledger
-- Stored  by nsysql convert: it groups all work
-- Columns
--     call_id   BIGINT  -- Position of the call in the export's table.
--     start_ns  BIGINT  -- Start of the first of them on a GPU.
--     end_ns    BIGINT  -- End of the last.
SELECT
    call_id,
    min(start_ns) AS start_ns,
    max(end_ns) AS end_ns
FROM launched_activity
WHERE call_id IS NOT NULL
GROUP BY call_id
HAVING count(*) > 1
