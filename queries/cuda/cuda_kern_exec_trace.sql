-- Kernels with the API call that launched each: launch, queue and execution times.
--
-- Joined by process and correlation id. Queue time runs from the call's return to the kernel's start; it
-- is NULL where the kernel started before the call returned. A graph launch has a row per kernel node.
-- Kernels whose call was not recorded are left out; `launches` has them, and memcpys and memsets too.
-- Needs  _kernel_ids, _api_call_ids, NVTX_EVENTS if nvtx_name
-- Parameters
--     name       ENUM('demangled', 'base', 'mangled') = 'demangled'  -- Which of a kernel's names; mangled falls back on demangled.
--     nvtx_name  BOOLEAN = false  -- Name kernels range/kernel, by the innermost NVTX range around their launching call.
-- Columns
--     api_start_ns     BIGINT   -- [API Start (ns)] Start of the call.
--     api_dur_ns       BIGINT   -- [API Dur (ns)] Duration of the call.
--     queue_start_ns   BIGINT   -- [Queue Start (ns)] Return of the call; NULL if the kernel had started.
--     queue_dur_ns     BIGINT   -- [Queue Dur (ns)] Time in the queue; NULL if the kernel had started.
--     kernel_start_ns  BIGINT   -- [Kernel Start (ns)] Start on the GPU.
--     kernel_dur_ns    BIGINT   -- [Kernel Dur (ns)] Duration on the GPU.
--     total_dur_ns     BIGINT   -- [Total Dur (ns)] From the call's start to the later end.
--     pid              BIGINT   -- [PID] Process of the call.
--     tid              BIGINT   -- [TID] Thread of the call.
--     dev_id           BIGINT   -- [DevId] CUDA ordinal within the process.
--     api_function     VARCHAR  -- [API Function] Function, without version suffix.
--     grid_xyz         VARCHAR  -- [GridXYZ] Blocks in x, y and z, each four wide.
--     block_xyz        VARCHAR  -- [BlockXYZ] Threads of a block in x, y and z, each four wide.
--     kernel_name      VARCHAR  -- [Kernel Name] Kernel.
-- Same as  nsys stats --report cuda_kern_exec_trace
WITH pair AS (
    SELECT
        call.start_ns AS api_start_ns,
        call.end_ns AS api_end_ns,
        call.dur_ns AS api_dur_ns,
        call.row_id AS api_row_id,
        call.pid,
        call.tid,
        call.name_id AS api_name_id,
        _kernel_ids.row_id,
        _kernel_ids.start_ns,
        _kernel_ids.end_ns,
        _kernel_ids.dur_ns,
        _kernel_ids.device_id,
        _kernel_ids.grid_x,
        _kernel_ids.grid_y,
        _kernel_ids.grid_z,
        _kernel_ids.block_x,
        _kernel_ids.block_y,
        _kernel_ids.block_z,
        name_id_of($name, _kernel_ids.name_id, _kernel_ids.short_name_id, _kernel_ids.mangled_name_id) AS name_id
    FROM _kernel_ids
    INNER JOIN _api_call_ids AS call
        ON
            _kernel_ids.process_id = call.process_id
            AND _kernel_ids.correlation_id = call.correlation_id
)

SELECT
    pair.api_start_ns,
    pair.api_dur_ns,
    CASE WHEN pair.start_ns >= pair.api_end_ns THEN pair.api_end_ns END AS queue_start_ns,
    CASE WHEN pair.start_ns >= pair.api_end_ns THEN pair.start_ns - pair.api_end_ns END AS queue_dur_ns,
    pair.start_ns AS kernel_start_ns,
    pair.dur_ns AS kernel_dur_ns,
    greatest(pair.api_end_ns, pair.end_ns) - pair.api_start_ns AS total_dur_ns,
    pair.pid,
    pair.tid,
    pair.device_id AS dev_id,
    _api_name.name AS api_function,
    printf('%4d %4d %4d', pair.grid_x, pair.grid_y, pair.grid_z) AS grid_xyz,
    printf('%4d %4d %4d', pair.block_x, pair.block_y, pair.block_z) AS block_xyz,
    CASE WHEN $nvtx_name THEN coalesce(around.text || '/', '') || string.text ELSE string.text END AS kernel_name
FROM pair
LEFT JOIN _api_name ON pair.api_name_id = _api_name.id
LEFT JOIN string ON pair.name_id = string.id
LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND pair.row_id = around.row_id
ORDER BY pair.api_start_ns ASC, pair.row_id ASC, pair.api_row_id ASC
