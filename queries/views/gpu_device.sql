-- Physical GPU of each process and CUDA device ordinal.
--
-- Two processes can call one GPU by two ordinals, or two GPUs both 0. Devices of one uuid are one GPU,
-- numbered by the smallest of their GPU numbers. Exports before 3.17 do not say; there equal ordinals are
-- taken for one GPU, by whoever joins this view with LEFT JOIN and falls back on device_id.
-- Engine  table
-- Columns
--     usual: pid, device_id
--     gpu_id     BIGINT  -- Physical GPU, as in view gpu.
WITH device AS (
    SELECT
        pid,
        cudaId AS device_id,
        min(coalesce(gpuId, cudaId)) OVER (
            PARTITION BY coalesce(nullif(uuid, ''), 'GPU ' || coalesce(gpuId, cudaId))
        ) AS gpu_id
    FROM raw.TARGET_INFO_CUDA_DEVICE
)

SELECT
    pid,
    device_id,
    min(gpu_id) AS gpu_id
FROM device
GROUP BY pid, device_id
