-- Groups of GPU page faults on unified memory.
--
-- Needs  CUDA_UM_GPU_PAGE_FAULT_EVENTS
-- Columns
--     usual: row_id, start_ns, end_ns, dur_ns, process_id, pid, device_id
--     address      BIGINT   -- Virtual address of the page.
--     fault_count  BIGINT   -- Page faults in the group.
--     access_type  BIGINT   -- 1 read, 2 write, 3 atomic, 4 prefetch.
SELECT
    rowid AS row_id,
    start AS start_ns,
    "end" AS end_ns,
    "end" - start AS dur_ns,
    globalPid AS process_id,
    pid_of(globalPid) AS pid,
    deviceId AS device_id,
    address,
    numberOfPageFaults AS fault_count,
    faultAccessType AS access_type
FROM raw.CUDA_UM_GPU_PAGE_FAULT_EVENTS
