-- Kinds of memory by their number in srcKind, dstKind and memKind.
--
-- The labels are the export's own where it has them (ENUM_CUDA_MEM_KIND), else those of every version so far.
-- Engine  table
-- Columns
--     id     BIGINT   -- Number.
--     label  VARCHAR  -- Such as Pageable.
SELECT
    id,
    label
FROM raw.ENUM_CUDA_MEM_KIND
WHERE label IS NOT NULL
UNION ALL
SELECT
    known.id,
    known.label
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
ANTI JOIN raw.ENUM_CUDA_MEM_KIND AS own ON known.id = own.id AND own.label IS NOT NULL
