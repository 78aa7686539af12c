-- Kernels: one row per execution of a GPU function.
--
-- Needs  _kernel_ids
-- Columns
--     gpu_id      BIGINT   -- Physical GPU (view gpu_device).
--     name        VARCHAR  -- Demangled name, with its signature.
--     short_name  VARCHAR  -- Name without signature.
SELECT
    _kernel_ids.*,
    coalesce(gpu_device.gpu_id, _kernel_ids.device_id) AS gpu_id,
    demangled.text AS name,
    short.text AS short_name
FROM _kernel_ids
LEFT JOIN gpu_device
    ON
        _kernel_ids.pid = gpu_device.pid
        AND _kernel_ids.device_id = gpu_device.device_id
LEFT JOIN string AS demangled ON _kernel_ids.name_id = demangled.id
LEFT JOIN string AS short ON _kernel_ids.short_name_id = short.id
