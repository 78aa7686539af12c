-- A kind of memory, by its number in srcKind, dstKind and memKind.
--
-- The labels are the export's own where it has them (ENUM_CUDA_MEM_KIND), else those of every version so far.
-- Kept  as a table: small, and joined often
-- Columns
--     id     BIGINT   -- Number.
--     label  VARCHAR  -- Such as Pageable.
SELECT
    id,
    label
FROM raw.ENUM_CUDA_MEM_KIND
UNION ALL
SELECT
    id,
    label
FROM (
    VALUES
    (0, 'Pageable'),
    (1, 'Pinned'),
    (2, 'Device'),
    (3, 'Array'),
    (4, 'Managed'),
    (5, 'Device Static'),
    (6, 'Managed Static'),
    (7, 'Unknown')
) AS known (id, label)
WHERE NOT EXISTS (FROM raw.ENUM_CUDA_MEM_KIND)
