-- A kernel function whose end nsys did not record: it ends far beyond the capture, or never.
--
-- The ledger and the parts count it up to the capture's end; sums of kernels count it in full, as nsys does.
-- Needs  _kernel_ids
-- Columns
--     name   VARCHAR  -- Kernel.
--     count  BIGINT   -- Launches.
SELECT
    string.text AS name,
    count(*) AS count
FROM _kernel_ids AS kernel
INNER JOIN _capture_end AS capture ON kernel.start_ns < capture.end_ns AND kernel.end_ns > capture.far_ns
LEFT JOIN string ON kernel.name_id = string.id
GROUP BY string.text
ORDER BY count DESC, string.text ASC
