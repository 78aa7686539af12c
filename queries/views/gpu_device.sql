-- Physical GPU of each process and CUDA device ordinal.
--
-- Two processes can know one GPU by two ordinals, or two GPUs both as 0. Devices with the same uuid are one
-- GPU, numbered by the smallest of their GPU numbers. Exports before 3.17 lack this; queries then take equal
-- ordinals as one GPU, by a LEFT JOIN with this view that falls back to device_id.
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
