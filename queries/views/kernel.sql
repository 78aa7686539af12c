-- A kernel: one execution of a GPU function.
--
-- Needs  kernel_record
-- Columns
--     gpu_id      BIGINT   -- Physical GPU (view gpu_of_device).
--     name        VARCHAR  -- Demangled name, with its signature.
--     short_name  VARCHAR  -- Name without signature.
SELECT
    kernel_record.*,
    coalesce(gpu_of_device.gpu_id, kernel_record.device_id) AS gpu_id,
    demangled.text AS name,
    short.text AS short_name
FROM kernel_record
LEFT JOIN gpu_of_device
    ON
        kernel_record.pid = gpu_of_device.pid
        AND kernel_record.device_id = gpu_of_device.device_id
LEFT JOIN string AS demangled ON kernel_record.name_id = demangled.id
LEFT JOIN string AS short ON kernel_record.short_name_id = short.id
