-- Ratios of each GPU's peaks to its float32 peak without tensor cores, and the rate of its link to the host.
--
-- Dense peaks with float32 sums. GeForce GPUs since 8.6 have half the rate with float32 sums of professional ones, except the
-- L40; GTX 16, MX450, T400 to T1200 and Quadro T have no tensor cores, T4, TITAN RTX and Quadro RTX the full rate of Turing.
-- Exports without a capability: by name. Each row of the table names NVIDIA's document; its float32 peaks are SMs times
-- cores of an SM times boost clock times 2 (RTX 5090: 170 x 128 x 2.407 GHz x 2 = 104.8 TFLOPS).
-- Engine  table
-- Columns
--     gpu_id            BIGINT  -- Physical GPU.
--     half_ratio        DOUBLE  -- FP16 or BF16 on tensor cores; NULL if it has none.
--     tf32_ratio        DOUBLE  -- TF32; NULL if it has none.
--     fp64_ratio        DOUBLE  -- Double precision.
--     link_bytes_per_s  DOUBLE  -- What a pinned copy reaches on its usual link: PCIe 3.0, 4.0 or 5.0 with 16 lanes.
--     source            VARCHAR  -- NVIDIA's document that has the peaks.
WITH known AS (
    SELECT
        gpu_id,
        name,
        coalesce(
            compute_capability,
            CASE
                WHEN regexp_matches(name, 'H[12]00|H800|GH200') THEN '9.0'
                WHEN regexp_matches(name, 'A100|A800|A30') THEN '8.0'
                WHEN regexp_matches(name, 'Quadro RTX') THEN '7.5'
                WHEN regexp_matches(name, '\bAda\b') THEN '8.9'
                WHEN regexp_matches(name, 'RTX 50|RTX PRO.*Blackwell') THEN '12.0'
                WHEN regexp_matches(name, 'B200|GB200') THEN '10.0'
                WHEN regexp_matches(name, 'RTX 40|L40|L4\b') THEN '8.9'
                WHEN regexp_matches(name, 'RTX 30|A10\b|A40|RTX A[0-9]') THEN '8.6'
                WHEN regexp_matches(name, 'V100') THEN '7.0'
                WHEN regexp_matches(name, 'T4\b|RTX 20|GTX 16') THEN '7.5'
            END
        ) AS capability
    FROM gpu
)

SELECT
    known.gpu_id,
    CASE
        WHEN regexp_matches(known.name, 'GTX 16|\bMX[45]50\b|Quadro T|\b(T[456]00|T1[02]?00)\b') THEN NULL
        WHEN known.capability = '7.5' AND regexp_matches(known.name, '\bT4\b|TITAN RTX|Quadro RTX') THEN 8
        WHEN known.is_professional THEN 2 * peak.half_ratio
        ELSE peak.half_ratio
    END::DOUBLE AS half_ratio,
    CASE WHEN known.is_professional THEN 2 * peak.tf32_ratio ELSE peak.tf32_ratio END::DOUBLE AS tf32_ratio,
    peak.fp64_ratio::DOUBLE AS fp64_ratio,
    peak.link_bytes_per_s,
    peak.source
FROM (
    SELECT
        *,
        coalesce(
            capability IN ('8.6', '8.9', '12.0') AND NOT regexp_matches(name, 'GeForce|TITAN|L40(\s|$)'), false
        ) AS is_professional
    FROM known
) AS known
LEFT JOIN (
    VALUES
    ('6.0', NULL, NULL, 0.5, 12e9, 'Tesla P100 whitepaper'),
    ('6.1', NULL, NULL, 0.03125, 12e9, 'GeForce GTX 1080 whitepaper'),
    ('7.0', 8.0, NULL, 0.5, 12e9, 'Tesla V100 GPU architecture whitepaper: 125 to 15.7 TFLOPS'),
    ('7.5', 4.0, NULL, 0.03125, 12e9, 'Turing GPU architecture whitepaper: 53.8 to 13.4, Quadro 130.5 to 16.3'),
    ('8.0', 16.0, 8.0, 0.5, 24e9, 'A100 Tensor Core GPU architecture whitepaper: 312 and 156 to 19.5'),
    ('8.6', 2.0, 1.0, 0.015625, 24e9, 'Ampere GA102 whitepaper: 71 and 35.6 to 35.6, A6000 154.8 to 38.7'),
    ('8.7', 8.0, 4.0, NULL, 24e9, 'Jetson AGX Orin series technical brief: 170 sparse INT8 TOPS (42.5 FP16) to 5.3'),
    ('8.9', 2.0, 1.0, 0.015625, 24e9, 'Ada GPU architecture whitepaper: 165.2 and 82.6 to 82.6, RTX 6000 364 to 91'),
    ('9.0', 14.8, 7.4, 0.5, 50e9, 'H100 Tensor Core GPU architecture whitepaper: 989.4 and 494.7 to 66.9'),
    ('10.0', 28.0, 14.0, 0.5, 50e9, 'Blackwell architecture technical brief: B200 2,250 and 1,125 to 80'),
    ('12.0', 2.0, 1.0, 0.015625, 50e9, 'RTX Blackwell GPU architecture whitepaper: RTX 5090 209.5 and 104.8 to 104.8')
) AS peak (capability, half_ratio, tf32_ratio, fp64_ratio, link_bytes_per_s, source)
    ON known.capability = peak.capability
