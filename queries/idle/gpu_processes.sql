-- A GPU and a process that worked on it.
--
-- Where the export does not say which GPU a process means by its ordinal, equal ordinals of several processes
-- are taken for one GPU.
-- Needs  gpu_work_record
-- Columns
--     gpu_id      BIGINT   -- Physical GPU.
--     pid         BIGINT   -- The operating system's process number.
--     name        VARCHAR  -- Its program; NULL where the export does not say.
--     activities  BIGINT   -- Kernels, copies, sets and whole graph runs.
--     is_known    BOOLEAN  -- The export says that the process means this GPU.
WITH used AS (
    SELECT
        gpu_id,
        process_id,
        pid,
        device_id,
        count(*) AS activities
    FROM gpu_work_record
    GROUP BY gpu_id, process_id, pid, device_id
)

SELECT
    used.gpu_id,
    used.pid,
    process.name,
    sum(used.activities)::BIGINT AS activities,
    bool_and(gpu_of_device.gpu_id IS NOT NULL) AS is_known
FROM used
LEFT JOIN gpu_of_device
    ON
        used.pid = gpu_of_device.pid
        AND used.device_id = gpu_of_device.device_id
LEFT JOIN process ON used.process_id = process.process_id
GROUP BY used.gpu_id, used.pid, process.name
ORDER BY used.gpu_id ASC, used.pid ASC, process.name ASC NULLS FIRST
