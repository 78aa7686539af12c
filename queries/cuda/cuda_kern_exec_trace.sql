-- Kernels with the API call that launched each: launch, queue and execution times.
--
-- Joined by process and correlation id. Queue time is from the call's return to the kernel's start; it is
-- NULL if the kernel started before the call returned. A graph launch has a row per kernel node. Kernels
-- whose call was not recorded are left out; `launches` has them, and memcpys and memsets too.
-- Needs  _kernel_ids, _api_call_ids, NVTX_EVENTS if nvtx_name
-- Engine  skip kernel_nvtx_range unless $nvtx_name
-- Parameters
--     usual: name, nvtx_name
-- Columns
--     api_start_ns     BIGINT   -- [API Start (ns)] Start of the call.
--     api_dur_ns       BIGINT   -- [API Dur (ns)] Duration of the call.
--     queue_start_ns   BIGINT   -- [Queue Start (ns)] Return of the call; NULL if the kernel had started.
--     queue_dur_ns     BIGINT   -- [Queue Dur (ns)] Time in the queue; NULL if the kernel had started.
--     kernel_start_ns  BIGINT   -- [Kernel Start (ns)] Start on the GPU.
--     kernel_dur_ns    BIGINT   -- [Kernel Dur (ns)] Duration on the GPU.
--     total_dur_ns     BIGINT   -- [Total Dur (ns)] From the call's start to the later of the two ends.
--     pid              BIGINT   -- [PID] Process of the call.
--     tid              BIGINT   -- [TID] Thread of the call.
--     dev_id           BIGINT   -- [DevId] CUDA ordinal within the process.
--     api_function     VARCHAR  -- [API Function] Function, without version suffix.
--     grid_xyz         VARCHAR  -- [GridXYZ] Blocks in x, y and z, each four wide.
--     block_xyz        VARCHAR  -- [BlockXYZ] Threads of a block in x, y and z, each four wide.
--     kernel_name      VARCHAR  -- [Kernel Name] Kernel.
-- Same as  nsys stats --report cuda_kern_exec_trace
SELECT
    call.start_ns AS api_start_ns,
    call.dur_ns AS api_dur_ns,
    CASE WHEN kernel.start_ns >= call.end_ns THEN call.end_ns END AS queue_start_ns,
    CASE WHEN kernel.start_ns >= call.end_ns THEN kernel.start_ns - call.end_ns END AS queue_dur_ns,
    kernel.start_ns AS kernel_start_ns,
    kernel.dur_ns AS kernel_dur_ns,
    greatest(call.end_ns, kernel.end_ns) - call.start_ns AS total_dur_ns,
    call.pid,
    call.tid,
    kernel.device_id AS dev_id,
    _api_name.name AS api_function,
    printf('%4d %4d %4d', kernel.grid_x, kernel.grid_y, kernel.grid_z) AS grid_xyz,
    printf('%4d %4d %4d', kernel.block_x, kernel.block_y, kernel.block_z) AS block_xyz,
    CASE WHEN $nvtx_name THEN coalesce(around.text || '/', '') || string.text ELSE string.text END AS kernel_name
FROM _kernel_ids AS kernel
INNER JOIN _api_call_ids AS call ON kernel.process_id = call.process_id AND kernel.correlation_id = call.correlation_id
LEFT JOIN _api_name ON call.name_id = _api_name.id
LEFT JOIN string ON name_id_of($name, kernel.name_id, kernel.short_name_id, kernel.mangled_name_id) = string.id
LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND kernel.row_id = around.row_id
ORDER BY call.start_ns ASC, kernel.row_id ASC, call.row_id ASC
