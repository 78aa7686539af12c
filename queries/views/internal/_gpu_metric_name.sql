-- Names of GPU metrics, under the names that newer versions of nsys give them, with units.
--
-- A newer name ends in its unit: [Throughput %], [MHz]; clocks are in Hz even so.
-- Columns
--     type_id    BIGINT   -- Source of the samples.
--     metric_id  BIGINT   -- Number of the metric in this source.
--     metric     VARCHAR  -- Newer name without its unit, such as SMs Active.
--     nsys_name  VARCHAR  -- Name in the export.
--     unit       VARCHAR  -- %, Hz, requests, or what a newer name says.
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
