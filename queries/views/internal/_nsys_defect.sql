-- Rows that reports of nsys get wrong in this export.
--
-- throughput: a memcpy or memset whose throughput `nsys stats` prints at least one percent too low. NVIDIA divides 10^9
-- by the duration in whole numbers before it multiplies by the bytes: what is lost grows with the duration, up to all
-- of it for more than a second. migration: the same of a page of unified memory, by the time of all its migrations.
-- domain_repeat: a repeated registration of an NVTX domain by another thread of its process; ranges are counted once
-- per registration. misjoined_memcpy, misjoined_memset: a memcpy, or a memset of pinned or managed memory, whose
-- correlation id also belongs to such a call of another process; `nsys analyze` joins by the id alone.
-- Needs  memcpy or memset or nvtx_domain
-- Columns
--     defect  VARCHAR  -- Which of these.
SELECT 'throughput' AS defect
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
UNION ALL
SELECT 'migration' AS defect
FROM memcpy
WHERE copy_kind IN (11, 12)
GROUP BY virtual_address
HAVING sum(bytes) > 0 AND 1000000000 // sum(dur_ns)::BIGINT * sum(dur_ns)::BIGINT <= 990000000
UNION ALL
SELECT 'domain_repeat' AS defect
FROM nvtx_domain
WHERE NOT is_first
UNION ALL
SELECT 'misjoined_memcpy' AS defect
FROM memcpy
INNER JOIN _unfiltered_api_call AS call ON memcpy.correlation_id = call.correlation_id
WHERE memcpy.process_id <> call.process_id AND call.name ILIKE 'cudaMemcpy%'
UNION ALL
SELECT 'misjoined_memset' AS defect
FROM memset
INNER JOIN _unfiltered_api_call AS call ON memset.correlation_id = call.correlation_id
WHERE
    memset.process_id <> call.process_id
    AND memset.memory_kind IN ('Pinned', 'Managed')
    AND call.name ILIKE 'cudaMemset%'
    AND call.name NOT ILIKE '%Async%'
