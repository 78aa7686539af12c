-- GPU time by kernel name, grid and block shape.
--
-- As cuda_gpu_kern_sum, split by launch shape.
-- Needs  _kernel_ids, NVTX_EVENTS if nvtx_name, _api_call_ids if nvtx_name
-- Engine  skip kernel_nvtx_range unless $nvtx_name
-- Parameters
--     usual: name, nvtx_name
-- Columns
--     cuda_gpu_kern_sum: time_pct, total_time_ns, instances, avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     grid_xyz       VARCHAR  -- [GridXYZ] Blocks in x, y and z, each four wide.
--     block_xyz      VARCHAR  -- [BlockXYZ] Threads of a block in x, y and z, each four wide.
--     name           VARCHAR  -- [Name] Kernel.
-- Same as  nsys stats --report cuda_gpu_kern_gb_sum
WITH named_kernel AS (
    SELECT
        CASE WHEN NOT $nvtx_name THEN string.text_id END AS text_id,
        CASE WHEN $nvtx_name THEN coalesce(around.text || '/', '') || string.text END AS label,
        _kernel_ids.grid_x,
        _kernel_ids.grid_y,
        _kernel_ids.grid_z,
        _kernel_ids.block_x,
        _kernel_ids.block_y,
        _kernel_ids.block_z,
        _kernel_ids.dur_ns
    FROM _kernel_ids
    LEFT JOIN string
        ON name_id_of($name, _kernel_ids.name_id, _kernel_ids.short_name_id, _kernel_ids.mangled_name_id) = string.id
    LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND _kernel_ids.row_id = around.row_id
)

SELECT
    unnest(total_ns(kernel.dur_ns)) AS total,
    count(*) AS instances,
    unnest(spread_ns(kernel.dur_ns)) AS spread,
    printf('%4d %4d %4d', grid_x, grid_y, grid_z) AS grid_xyz,
    printf('%4d %4d %4d', block_x, block_y, block_z) AS block_xyz,
    coalesce(kernel.label, (SELECT min(string.text) FROM string WHERE string.id = kernel.text_id)) AS name
FROM named_kernel AS kernel
GROUP BY kernel.text_id, kernel.label, grid_x, grid_y, grid_z, block_x, block_y, block_z
ORDER BY
    sum(kernel.dur_ns) DESC,
    instances ASC,
    name ASC NULLS FIRST,
    grid_x ASC,
    grid_y ASC,
    grid_z ASC,
    block_x ASC,
    block_y ASC,
    block_z ASC
