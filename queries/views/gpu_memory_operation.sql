-- A copy of known direction, or a memory set, on the GPU.
--
-- Needs  memcpy or memset
-- Columns
--     operation  VARCHAR  -- Such as [CUDA memcpy Host-to-Device] or [CUDA memset].
--     dur_ns     BIGINT   -- Duration.
--     bytes      BIGINT   -- Bytes copied or set.
SELECT
    '[CUDA memcpy ' || direction || ']' AS operation,
    dur_ns,
    bytes
FROM memcpy
WHERE direction IS NOT NULL
UNION ALL
SELECT
    '[CUDA memset]' AS operation,
    dur_ns,
    bytes
FROM memset
