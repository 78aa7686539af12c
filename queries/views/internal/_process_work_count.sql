-- Number of pieces of GPU work by process and kind.
--
-- Filled from the ledger's data when that has been computed, to avoid a second scan.
-- Needs  _kernel_ids or memcpy or memset or graph_trace
-- Columns
--     usual: process_id, kind
--     pieces      BIGINT   -- Kernels, memcpys, memsets or CUDA graphs traced as a whole.
SELECT
    process_id,
    'kernel' AS kind,
    count(*) AS pieces
FROM _kernel_ids
GROUP BY process_id
UNION ALL
SELECT
    process_id,
    'memcpy' AS kind,
    count(*) AS pieces
FROM memcpy
GROUP BY process_id
UNION ALL
SELECT
    process_id,
    'memset' AS kind,
    count(*) AS pieces
FROM memset
GROUP BY process_id
UNION ALL
SELECT
    process_id,
    'graph' AS kind,
    count(*) AS pieces
FROM graph_trace
GROUP BY process_id
