-- Memcpys and memsets whose throughput `nsys stats` prints at least one percent too low.
--
-- NVIDIA divides 10^9 by the duration in whole numbers before it multiplies by the bytes: what is lost grows
-- with the duration, up to all of it for more than a second.
-- Needs  memcpy or memset
-- Columns
--     dur_ns  BIGINT  -- Duration.
--     bytes   BIGINT  -- Bytes copied or set.
SELECT
    dur_ns,
    bytes
FROM (
    SELECT
        dur_ns,
        bytes
    FROM memcpy
    UNION ALL
    SELECT
        dur_ns,
        bytes
    FROM memset
) AS operation
WHERE bytes > 0 AND 1000000000 // dur_ns * dur_ns <= 990000000
