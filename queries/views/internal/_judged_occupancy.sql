-- Kernels of the parts that rules judge, with how many blocks an SM takes at once.
--
-- Not kernels whose registers are not recorded, nor thread block clusters, which need their SMs side by side.
-- Needs  _kernel_ids
-- Columns
--     occupancy      DOUBLE   -- Share of an SM's warps that blocks of this shape can fill.
--     wave_blocks    BIGINT   -- Blocks that all SMs take at once.
--     limited_by     VARCHAR  -- registers, shared memory or block size: what allows the fewest.
WITH known AS (
    SELECT
        kernel.*,
        capability.max_warps,
        capability.max_blocks,
        warps_of(kernel.thread_count) AS warps,
        unnest(blocks_per_sm(warps, kernel.registers_per_thread, kernel.shared_memory_bytes, capability)) AS taken
    FROM _judged_kernel AS kernel
    INNER JOIN gpu ON kernel.gpu_id = gpu.gpu_id
    INNER JOIN _compute_capability AS capability ON gpu.compute_capability = capability.compute_capability
),

counted AS (
    SELECT
        *,
        least(max_blocks, by_threads, by_registers, coalesce(by_shared_memory, max_blocks)) AS blocks
    FROM known
)

SELECT
    * EXCLUDE (max_warps, max_blocks, warps, by_shared_memory, by_threads, by_registers, blocks),
    (blocks * warps / max_warps)::DOUBLE AS occupancy,
    (blocks * sm_count)::BIGINT AS wave_blocks,
    CASE
        WHEN by_registers = blocks AND by_registers < by_threads THEN 'registers'
        WHEN by_shared_memory = blocks AND by_shared_memory < by_threads THEN 'shared memory'
        ELSE 'block size'
    END AS limited_by
FROM counted
WHERE blocks > 0 AND by_registers IS NOT NULL AND cluster_blocks = 1
