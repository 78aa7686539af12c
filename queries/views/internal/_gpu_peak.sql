-- Ratios of each GPU's peaks to its float32 peak without tensor cores, and the rate of its link to the host.
--
-- Dense peaks with float32 sums, of NVIDIA's architecture whitepapers (V100, Turing, GA100, GA102, Ada, Hopper) and data
-- sheets. Consumer GPUs of 8.6 and 8.9 have TF32 at about the rate of float32. Exports without capability: by name.
-- Columns
--     gpu_id            BIGINT  -- Physical GPU.
--     half_ratio        DOUBLE  -- FP16 or BF16 on tensor cores; NULL if it has none.
--     tf32_ratio        DOUBLE  -- TF32; NULL if it has none.
--     fp64_ratio        DOUBLE  -- Double precision.
--     link_bytes_per_s  DOUBLE  -- What a pinned copy reaches on its usual link.
WITH known AS (
    SELECT
        gpu_id,
        name,
        coalesce(
            compute_capability,
            CASE
                WHEN regexp_matches(name, 'H[12]00|H800|GH200') THEN '9.0'
                WHEN regexp_matches(name, 'A100|A800|A30') THEN '8.0'
                WHEN regexp_matches(name, 'RTX 40|L40|L4\b|Ada') THEN '8.9'
                WHEN regexp_matches(name, 'RTX 30|A10\b|A40|RTX A[0-9]') THEN '8.6'
                WHEN regexp_matches(name, 'V100') THEN '7.0'
                WHEN regexp_matches(name, 'T4\b|RTX 20|GTX 16|Quadro RTX') THEN '7.5'
            END
        ) AS capability
    FROM gpu
)

SELECT
    known.gpu_id,
    CASE
        WHEN regexp_matches(known.name, 'GTX 16') THEN NULL
        WHEN regexp_matches(known.name, '\bT4\b') THEN 8
        WHEN known.capability IN ('8.6', '8.9') AND NOT regexp_matches(known.name, 'GeForce') THEN 2 * peak.half_ratio
        ELSE peak.half_ratio
    END::DOUBLE AS half_ratio,
    CASE
        WHEN known.capability IN ('8.6', '8.9') AND NOT regexp_matches(known.name, 'GeForce') THEN 2 * peak.tf32_ratio
        ELSE peak.tf32_ratio
    END::DOUBLE AS tf32_ratio,
    peak.fp64_ratio::DOUBLE AS fp64_ratio,
    peak.link_bytes_per_s
FROM known
LEFT JOIN (
    VALUES
    ('6.0', NULL, NULL, 0.5, 12e9),
    ('6.1', NULL, NULL, 0.03125, 12e9),
    ('7.0', 8.0, NULL, 0.5, 12e9),
    ('7.5', 4.0, NULL, 0.03125, 12e9),
    ('8.0', 16.0, 8.0, 0.5, 24e9),
    ('8.6', 2.0, 1.0, 0.015625, 24e9),
    ('8.7', 4.0, 2.0, 0.03125, 24e9),
    ('8.9', 2.0, 1.0, 0.015625, 24e9),
    ('9.0', 14.8, 7.4, 0.5, 50e9),
    ('10.0', 28.0, 14.0, 0.5, 50e9),
    ('12.0', 2.0, 1.0, 0.015625, 50e9)
) AS peak (capability, half_ratio, tf32_ratio, fp64_ratio, link_bytes_per_s) ON known.capability = peak.capability
