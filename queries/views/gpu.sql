-- GPUs of the machine, used by the program or not.
--
-- Engine  table
-- Columns
--     gpu_id                          BIGINT   -- Physical GPU.
--     name                            VARCHAR  -- Product name.
--     sm_count                        BIGINT   -- Streaming multiprocessors.
--     total_memory_bytes              BIGINT   -- Memory.
--     memory_bandwidth_bytes_per_s    BIGINT   -- Memory bandwidth.
--     clock_rate_hz                   BIGINT   -- SM clock.
--     compute_capability              VARCHAR  -- Such as 9.0.
--     bus_location                    VARCHAR  -- PCI address.
--     copy_engine_count               BIGINT   -- Copies that it can do at the same time; NULL if not known.
SELECT
    min(coalesce(known.id, known.deviceId)) AS gpu_id,
    min(known.name) AS name,
    min(coalesce(known.smCount, cuda.numMultiprocessors)) AS sm_count,
    min(known.totalMemory) AS total_memory_bytes,
    min(known.memoryBandwidth) AS memory_bandwidth_bytes_per_s,
    min(known.clockRate) AS clock_rate_hz,
    min(
        coalesce(known.computeMajor, cuda.computeCapabilityMajor)
        || '.'
        || coalesce(known.computeMinor, cuda.computeCapabilityMinor)
    ) AS compute_capability,
    min(known.busLocation) AS bus_location,
    nullif(min(known.asyncEngines), 0) AS copy_engine_count
FROM raw.TARGET_INFO_GPU AS known
LEFT JOIN raw.TARGET_INFO_CUDA_GPU AS cuda ON coalesce(known.id, known.deviceId) = cuda.deviceId
GROUP BY coalesce(known.id, known.deviceId)
