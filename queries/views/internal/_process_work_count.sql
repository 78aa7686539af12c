-- Number of pieces of GPU work by process and kind.
--
-- Filled from the ledger's data when that has been computed, to avoid a second scan.
-- Needs  _gpu_work_ids
-- Columns
--     usual: process_id, kind
--     pieces      BIGINT   -- Kernels, memcpys, memsets or CUDA graphs traced as a whole.
SELECT
    process_id,
    kind,
    count(*) AS pieces
FROM _gpu_work_ids
GROUP BY process_id, kind
