-- GPUs of the machine, used by the program or not.
--
-- As recorded; a trimmed export names none. What each did is the answer of gpu_time.
-- Columns
--     gpu_id                        BIGINT   -- Physical GPU.
--     name                          VARCHAR  -- Product name.
--     compute_capability            VARCHAR  -- Such as 9.0.
--     sm_count                      BIGINT   -- Streaming multiprocessors.
--     total_memory_bytes            BIGINT   -- Memory.
--     memory_bandwidth_bytes_per_s  BIGINT   -- Memory bandwidth.
--     clock_rate_hz                 BIGINT   -- SM clock.
--     bus_location                  VARCHAR  -- PCI address.
SELECT
    gpu_id,
    name,
    compute_capability,
    sm_count,
    total_memory_bytes,
    memory_bandwidth_bytes_per_s,
    clock_rate_hz,
    bus_location
FROM gpu
ORDER BY gpu_id ASC
