-- A process and a kind of GPU work: how many pieces of it.
--
-- The idle ledger and the sums of busy time read all work: after them it is not read from the export again.
-- Needs  kernel_record or memcpy or memset or graph_trace
-- Given by  nsysql.idle.activity
-- Columns
--     process_id  BIGINT   -- Process (globalPid).
--     kind        VARCHAR  -- kernel, memcpy, memset or graph.
--     pieces      BIGINT   -- Kernels, copies, sets or whole graph runs.
SELECT
    process_id,
    'kernel' AS kind,
    count(*) AS pieces
FROM kernel_record
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
