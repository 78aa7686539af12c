-- Metrics of network adapters and InfiniBand switches, each for an interval.
--
-- Needs  NET_NIC_METRIC or NET_IB_SWITCH_METRIC, TARGET_INFO_NETWORK_METRICS
-- Columns
--     device_kind  VARCHAR  -- adapter or switch.
--     row_id       BIGINT   -- Position in the export's table of that kind.
--     usual: start_ns, end_ns, dur_ns
--     device_id    BIGINT   -- Position of the adapter among the export's; NULL for switches.
--     guid         BIGINT   -- GUID; NULL for an unknown adapter.
--     device_name  VARCHAR  -- Model of the adapter; NULL for switches and unknown models.
--     metric       VARCHAR  -- Metric, such as IB: Send waits.
--     value        BIGINT   -- Value, in the metric's unit.
WITH adapter AS (
    SELECT
        NIC_ID_MAP.globalId,
        nic.rowid AS device_id,
        coalesce(nic.GUID, nic.globalId) AS guid,
        model.label AS device_name
    FROM raw.NIC_ID_MAP
    INNER JOIN raw.TARGET_INFO_NIC_INFO AS nic ON NIC_ID_MAP.nicId = nic.nicId
    LEFT JOIN raw.ENUM_NET_DEVICE_ID AS model ON nic.deviceId = model.id
),

sample AS (
    -- noqa: disable=LT09
    SELECT 'adapter' AS device_kind, measured.*, adapter.* EXCLUDE (globalId)
    FROM raw.NET_NIC_METRIC AS measured
    LEFT JOIN adapter ON measured.globalId = adapter.globalId
    UNION ALL BY NAME
    SELECT 'switch' AS device_kind, globalId AS guid, * FROM raw.NET_IB_SWITCH_METRIC
)

SELECT
    sample.device_kind,
    sample.rowid AS row_id,
    sample.start AS start_ns,
    sample."end" AS end_ns,
    sample."end" - sample.start AS dur_ns,
    sample.device_id,
    sample.guid,
    sample.device_name,
    metric.name AS metric,
    sample.value
FROM sample
INNER JOIN raw.TARGET_INFO_NETWORK_METRICS AS metric
    ON sample.metricsListId = metric.metricsListId AND sample.metricsIdx = metric.metricsIdx
