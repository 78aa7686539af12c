-- A sample of a GPU's clock at a time when its SMs worked, by GPU metrics.
--
-- Needs  GPU_METRICS
-- Engine  table if EXISTS (FROM raw.GPU_METRICS)
-- Columns
--     gpu_id    BIGINT  -- Physical GPU.
--     time_ns   BIGINT  -- Time of the sample.
--     clock_hz  BIGINT  -- Clock of the SMs (GPC).
WITH named AS (
    SELECT DISTINCT
        typeId,
        metricId,
        metricName LIKE 'GPC Clock%' AS is_clock
    FROM raw.TARGET_INFO_GPU_METRICS
    WHERE metricName LIKE 'GPC Clock%' OR regexp_matches(metricName, '^SMs? Active')
),

sample AS (
    SELECT
        metrics.typeId,
        metrics.timestamp,
        max(metrics.value) FILTER (WHERE named.is_clock) AS clock_hz,
        max(metrics.value) FILTER (WHERE NOT named.is_clock) AS active
    FROM raw.GPU_METRICS AS metrics
    INNER JOIN named ON metrics.typeId = named.typeId AND metrics.metricId = named.metricId
    GROUP BY metrics.typeId, metrics.timestamp
)

SELECT
    typeId & 255 AS gpu_id,
    timestamp AS time_ns,
    clock_hz
FROM sample
WHERE clock_hz > 0 AND active > 0
