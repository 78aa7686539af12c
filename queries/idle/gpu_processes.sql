-- A GPU and a process that worked on it.
--
-- If the export does not say which GPU a process means by its ordinal, equal ordinals of several processes
-- are taken as one GPU.
-- Needs  _gpu_work_ids
-- Columns
--     usual: gpu_id, pid
--     name        VARCHAR  -- Its program; NULL if the export does not say.
--     activities  BIGINT   -- Kernels, memcpys, memsets and CUDA graphs traced as a whole.
--     is_known    BOOLEAN  -- The export says that the process uses this GPU.
SELECT
    used.gpu_id,
    pid_of(used.process_id) AS pid,
    process.name,
    sum(used.activities)::BIGINT AS activities,
    bool_and(gpu_device.gpu_id IS NOT NULL) AS is_known
FROM _gpu_process AS used
LEFT JOIN gpu_device ON pid_of(used.process_id) = gpu_device.pid AND used.device_id = gpu_device.device_id
LEFT JOIN process ON used.process_id = process.process_id
GROUP BY used.gpu_id, used.process_id, process.name
ORDER BY used.gpu_id ASC, pid ASC, process.name ASC NULLS FIRST
