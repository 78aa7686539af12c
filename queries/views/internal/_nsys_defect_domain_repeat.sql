-- Repeated registrations of an NVTX domain by other threads of its process.
--
-- The domain stays one; `nsys stats` counts its ranges once per registration.
-- Needs  nvtx_domain
-- Columns
--     process_id  BIGINT   -- Process (globalPid).
--     name        VARCHAR  -- Name of the domain.
SELECT
    process_id,
    name
FROM nvtx_domain
WHERE NOT is_first
