-- The limits of an SM of a GPU, from the export; NULL if not recorded.
--
-- Columns
--     gpu_id               BIGINT  -- Physical GPU.
--     max_warps            BIGINT  -- Resident warps of an SM.
--     max_blocks           BIGINT  -- Resident blocks of an SM.
--     max_registers        BIGINT  -- Registers of an SM.
--     shared_memory_bytes  BIGINT  -- Shared memory of an SM.
SELECT
    coalesce(id, deviceId) AS gpu_id,
    nullif(min(maxWarpsPerSm), 0) AS max_warps,
    nullif(min(maxBlocksPerSm), 0) AS max_blocks,
    nullif(min(maxRegistersPerSm), 0) AS max_registers,
    nullif(min(maxShmemPerSm), 0) AS shared_memory_bytes
FROM raw.TARGET_INFO_GPU
GROUP BY coalesce(id, deviceId)
