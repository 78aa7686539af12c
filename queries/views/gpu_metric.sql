-- Samples of GPU metrics: a row per sample and metric, for the time that ends at the sample.
--
-- Metrics have the names of newer versions, such as SMs Active for SM Active, whatever the export calls them. They are
-- those of the whole GPU, whichever process used it. A sample is valid since the previous one; for the first one, and
-- after a hole of more than twice the usual period, for the usual period (median). Negative values are counters that
-- wrapped around and are left out.
-- Needs  GPU_METRICS
-- Columns
--     row_id     BIGINT   -- Position in the export's table.
--     type_id    BIGINT   -- Source of the samples (typeId); the metrics of one are sampled together.
--     gpu_id     BIGINT   -- Physical GPU.
--     start_ns   BIGINT   -- Start of the time for which the sample is valid.
--     end_ns     BIGINT   -- Time of the sample.
--     dur_ns     BIGINT   -- For how long it is valid; 0 if there is only one sample.
--     metric     VARCHAR  -- Name, such as SMs Active.
--     nsys_name  VARCHAR  -- Name in the export, such as SM Active.
--     value      BIGINT   -- Value.
--     unit       VARCHAR  -- % (0 to 100), Hz, requests, or the unit in a newer name.
WITH gpu_metric_name AS (
    WITH named AS (
        SELECT
            typeId AS type_id,
            metricId AS metric_id,
            min(metricName) AS nsys_name,
            trim(regexp_replace(min(metricName), '\s*\[[^\]]*\]\s*$', '')) AS base_name,
            lower(nullif(regexp_extract(min(metricName), '\[([^\]]*)\]\s*$', 1), '')) AS suffix
        FROM raw.TARGET_INFO_GPU_METRICS
        GROUP BY typeId, metricId
    )

    SELECT
        named.type_id,
        named.metric_id,
        coalesce(renamed.newer, replace(named.base_name, ' In Flight', ' in Flight')) AS metric,
        named.nsys_name,
        CASE
            WHEN named.base_name ILIKE '%clock%' THEN 'Hz'
            WHEN named.suffix LIKE '%\%%' ESCAPE '\' THEN '%'
            WHEN named.suffix IS NOT NULL THEN named.suffix
            WHEN named.base_name LIKE '%Requests to BAR1' THEN 'requests'
            ELSE '%'
        END AS unit
    FROM named
    LEFT JOIN (
        VALUES
        ('SM Active', 'SMs Active'),
        ('DRAM Read Throughput', 'DRAM Read Bandwidth'),
        ('DRAM Write Throughput', 'DRAM Write Bandwidth')
    ) AS renamed (older, newer) ON named.base_name = renamed.older
),

sampled AS (
    SELECT DISTINCT
        typeId,
        timestamp
    FROM raw.GPU_METRICS
),

moment AS (
    SELECT
        typeId,
        timestamp,
        timestamp - lag(timestamp) OVER (PARTITION BY typeId ORDER BY timestamp ASC) AS since_last_ns
    FROM sampled
),

usual AS (
    SELECT
        typeId,
        coalesce(quantile_disc(since_last_ns, 0.5), 0) AS period_ns
    FROM moment
    GROUP BY typeId
),

period AS (
    SELECT
        moment.typeId,
        moment.timestamp,
        CASE
            WHEN moment.since_last_ns <= 2 * usual.period_ns THEN moment.since_last_ns
            ELSE usual.period_ns
        END AS dur_ns
    FROM moment
    INNER JOIN usual ON moment.typeId = usual.typeId
)

SELECT
    sample.rowid AS row_id,
    sample.typeId AS type_id,
    sample.typeId & 255 AS gpu_id,
    sample.timestamp - period.dur_ns AS start_ns,
    sample.timestamp AS end_ns,
    period.dur_ns,
    coalesce(named.metric, 'metric ' || sample.metricId) AS metric,
    named.nsys_name,
    sample.value,
    named.unit
FROM raw.GPU_METRICS AS sample
INNER JOIN period ON sample.typeId = period.typeId AND sample.timestamp = period.timestamp
LEFT JOIN gpu_metric_name AS named ON sample.typeId = named.type_id AND sample.metricId = named.metric_id
WHERE
    sample.value >= 0
    AND (
        getvariable('window_start') IS NULL
        OR (
            sample.timestamp >= getvariable('window_start') AND sample.timestamp < getvariable('window_end')
            AND in_ranges(sample.timestamp, sample.timestamp)
        )
    )
