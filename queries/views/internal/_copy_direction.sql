-- Memcpy directions by their number in copyKind.
--
-- The labels are the export's own where it has them (ENUM_CUDA_MEMCPY_OPER), else those that every
-- version so far has used: exports up to 2.9.1 have no labels at all.
-- Engine  table
-- Columns
--     id     BIGINT   -- Number.
--     label  VARCHAR  -- Such as Host-to-Device.
SELECT
    id,
    label
FROM raw.ENUM_CUDA_MEMCPY_OPER
WHERE label IS NOT NULL
UNION ALL
SELECT
    known.id,
    known.label
FROM (
    VALUES
    (0, 'Unknown'),
    (1, 'Host-to-Device'),
    (2, 'Device-to-Host'),
    (3, 'Host-to-Array'),
    (4, 'Array-to-Host'),
    (5, 'Array-to-Array'),
    (6, 'Array-to-Device'),
    (7, 'Device-to-Array'),
    (8, 'Device-to-Device'),
    (9, 'Host-to-Host'),
    (10, 'Peer-to-Peer'),
    (11, 'Unified Host-to-Device'),
    (12, 'Unified Device-to-Host'),
    (13, 'Unified Device-to-Device')
) AS known (id, label)
ANTI JOIN raw.ENUM_CUDA_MEMCPY_OPER AS own ON known.id = own.id AND own.label IS NOT NULL
