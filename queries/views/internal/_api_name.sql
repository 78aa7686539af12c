-- Names of CUDA API functions without their version suffix.
--
-- As `nsys stats` shortens it: if the sixth and fifth characters from the end are _v, the last six are
-- removed (cudaMalloc_v3020); others stay (cudaGraphLaunch_v10000, cuMemAlloc_v2).
-- Engine  table
-- Columns
--     id    BIGINT   -- Number of the full name.
--     name  VARCHAR  -- Shortened name.
SELECT
    id,
    CASE WHEN substr(text, length(text) - 5, 2) = '_v' THEN left(text, length(text) - 6) ELSE text END AS name
FROM string
