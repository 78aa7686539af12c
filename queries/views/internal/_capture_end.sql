-- The end of the capture, and the time from which an end of GPU work is implausible.
--
-- Work that still ran when nsys stopped can have any end. One row; NULL if the export does not say how long it is.
-- Columns
--     far_ns  BIGINT  -- A tenth of the capture later, at least a second.
SELECT
    max(duration) AS end_ns,
    max(duration) + greatest(1_000_000_000, max(duration) // 10) AS far_ns
FROM raw.ANALYSIS_DETAILS
