-- GPUs of the machine, used by the program or not.
--
-- As recorded; a trimmed export names none. gpu_time has what each did.
-- Columns
--     gpu: gpu_id, name, compute_capability
--     gpu: sm_count, total_memory_bytes, memory_bandwidth_bytes_per_s, clock_rate_hz, bus_location
--     gpu: copy_engine_count
SELECT
    gpu_id,
    name,
    compute_capability,
    * EXCLUDE (gpu_id, name, compute_capability)
FROM gpu
ORDER BY gpu_id ASC
