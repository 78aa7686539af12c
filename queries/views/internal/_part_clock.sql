-- The clock of a part's GPU in its first and its last third, by GPU metrics, while SMs work.
--
-- Only if both thirds have enough samples.
-- Needs  GPU_METRICS
-- Engine  table if EXISTS (FROM raw.GPU_METRICS)
-- Columns
--     usual: part_id
--     first_hz  DOUBLE  -- Median clock of the SMs (GPC) in the first third.
--     last_hz   DOUBLE  -- In the last third.
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
        metrics.typeId & 255 AS gpu_id,
        metrics.timestamp AS time_ns,
        max(metrics.value) FILTER (WHERE named.is_clock) AS clock_hz,
        max(metrics.value) FILTER (WHERE NOT named.is_clock) AS active
    FROM raw.GPU_METRICS AS metrics
    INNER JOIN named ON metrics.typeId = named.typeId AND metrics.metricId = named.metricId
    GROUP BY metrics.typeId, metrics.timestamp
),

placed AS (
    SELECT
        part.part_id,
        sample.clock_hz,
        (sample.time_ns - part.start_ns) / (part.end_ns - part.start_ns) AS place
    FROM part
    INNER JOIN sample
        ON
            part.gpu_id = sample.gpu_id
            AND sample.time_ns >= part.start_ns
            AND sample.time_ns < part.end_ns
    WHERE sample.clock_hz > 0 AND sample.active > 0
)

SELECT
    placed.part_id,
    median(placed.clock_hz) FILTER (WHERE 3 * placed.place < 1) AS first_hz,
    median(placed.clock_hz) FILTER (WHERE 3 * placed.place >= 2) AS last_hz
FROM placed
GROUP BY placed.part_id
HAVING
    count(*) FILTER (WHERE 3 * placed.place < 1) >= RECURRING_COUNT
    AND count(*) FILTER (WHERE 3 * placed.place >= 2) >= RECURRING_COUNT
