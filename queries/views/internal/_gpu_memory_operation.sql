-- Memcpys of known direction and memsets on the GPU.
--
-- For sums, which need less of a copy than `memcpy` has.
-- Needs  CUPTI_ACTIVITY_KIND_MEMCPY or CUPTI_ACTIVITY_KIND_MEMSET
SELECT
    '[CUDA memcpy ' || _copy_direction.label || ']' AS operation,
    copy."end" - copy.start AS dur_ns,
    copy.bytes
FROM raw.CUPTI_ACTIVITY_KIND_MEMCPY AS copy
INNER JOIN _copy_direction ON copy.copyKind = _copy_direction.id
WHERE _copy_direction.label IS NOT NULL
UNION ALL
SELECT
    '[CUDA memset]' AS operation,
    "end" - start AS dur_ns,
    bytes
FROM raw.CUPTI_ACTIVITY_KIND_MEMSET
