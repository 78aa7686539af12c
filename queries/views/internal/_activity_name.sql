-- Names of GPU work, by kind and name id.
--
-- Kernels by their demangled name, the rest as NVIDIA writes them: [CUDA memcpy Host-to-Device].
-- Columns
--     kind       VARCHAR  -- kernel, memcpy, memset or graph.
--     detail_id  BIGINT   -- Name number of a kernel, direction of a copy, graph id; 0 for sets.
SELECT
    'kernel' AS kind,
    id AS detail_id,
    text AS name
FROM string
UNION ALL
SELECT
    'memcpy' AS kind,
    id AS detail_id,
    '[CUDA memcpy ' || label || ']' AS name
FROM _copy_direction
UNION ALL
SELECT
    'memset' AS kind,
    0 AS detail_id,
    '[CUDA memset]' AS name
UNION ALL
SELECT DISTINCT
    'graph' AS kind,
    graph_id AS detail_id,
    '[CUDA graph ' || graph_id || ']' AS name
FROM graph_trace
