-- Kernels with the share of the GPU's multiprocessors that they need to run all of their blocks at once.
--
-- Needs  _kernel_ids
-- Columns
--     row_id     BIGINT  -- As in _kernel_ids.
--     gpu_share  DOUBLE  -- 0 to 1: at 1 the blocks fill the GPU; NULL if the shape or the GPU is not known.
WITH known AS (
    SELECT
        kernel.row_id,
        kernel.grid_x * kernel.grid_y * kernel.grid_z AS blocks,
        gpu.sm_count,
        capability.max_blocks,
        unnest(
            blocks_per_sm(
                warps_of(kernel.block_x * kernel.block_y * kernel.block_z),
                kernel.registers_per_thread,
                kernel.static_shared_memory_bytes + kernel.dynamic_shared_memory_bytes,
                capability
            )
        ) AS taken
    FROM _kernel_ids AS kernel
    LEFT JOIN gpu_device ON kernel.pid = gpu_device.pid AND kernel.device_id = gpu_device.device_id
    INNER JOIN gpu ON coalesce(gpu_device.gpu_id, kernel.device_id) = gpu.gpu_id
    INNER JOIN _compute_capability AS capability ON gpu.compute_capability = capability.compute_capability
)

SELECT
    row_id,
    CASE
        WHEN by_threads IS NOT NULL AND by_registers IS NOT NULL
            THEN least(
                1,
                blocks
                / nullif(
                    sm_count
                    * least(max_blocks, by_threads, by_registers, coalesce(by_shared_memory, max_blocks)),
                    0
                )
            )
    END::DOUBLE AS gpu_share  -- no condition of WHERE, which would take ten times as long
FROM known
