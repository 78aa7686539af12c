-- The limits of an SM of a GPU, from the export; NULL if not recorded.
SELECT
    coalesce(id, deviceId) AS gpu_id,
    nullif(min(maxWarpsPerSm), 0) AS max_warps,
    nullif(min(maxBlocksPerSm), 0) AS max_blocks,
    nullif(min(maxRegistersPerSm), 0) AS max_registers,
    nullif(min(maxShmemPerSm), 0) AS shared_memory_bytes
FROM raw.TARGET_INFO_GPU
GROUP BY coalesce(id, deviceId)
