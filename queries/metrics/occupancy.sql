-- A kernel and launch shape on a GPU: its theoretical occupancy, what limits it, and its waves.
--
-- Theoretical occupancy is the share of an SM's warps that blocks of this shape can fill: blocks_per_sm * warps of a block
-- / warps of an SM. An SM takes as many blocks as its warps (threads), blocks, registers and shared memory allow, by the
-- GPU's limits in the export, else those of its compute capability; limited_by names each limit that is reached. It is
-- an upper bound, not achieved occupancy. A grid of few blocks fills few SMs: gpu_occupancy_pct is for the whole GPU. A
-- wave is as many blocks as the whole GPU takes at once; a nearly empty last wave leaves most of the GPU unused. Kernels
-- with thread block clusters are not covered, nor are GPUs with no or an unknown compute capability; not_covered gives
-- the reason. Kernels inside a CUDA graph traced as a whole have no rows.
-- Needs  _kernel_ids
-- First  name, occupancy_pct, gpu_occupancy_pct, limited_by, time_pct, count, grid, block
-- Parameters
--     gpu                 BIGINT = NULL   -- Only this GPU.
--     compute_capability  VARCHAR = NULL  -- Used for GPUs if the export does not record it, such as 9.0.
-- Columns
--     gpu_id                       BIGINT   -- Physical GPU.
--     name                         VARCHAR  -- Kernel, with its signature.
--     grid                         VARCHAR  -- Blocks in x, y and z.
--     block                        VARCHAR  -- Threads of a block in x, y and z.
--     _kernel_ids: registers_per_thread, static_shared_memory_bytes, dynamic_shared_memory_bytes
--     occupancy_pct                DOUBLE   -- Share of an SM's warps that the shape can fill.
--     gpu_occupancy_pct            DOUBLE   -- Largest share of all the GPU's warps that the grid can fill; NULL without a known number of SMs.
--     limited_by                   VARCHAR  -- registers, shared memory, threads, blocks: all limits that are reached.
--     blocks_per_sm                BIGINT   -- Blocks that an SM takes at once.
--     waves                        DOUBLE   -- Blocks of the grid over those that all SMs take at once; NULL without a known number of SMs.
--     last_wave_pct                DOUBLE   -- How much of the last wave the grid fills; 100 if all.
--     count                        BIGINT   -- Executions.
--     total_ns                     BIGINT   -- Sum of durations.
--     time_pct                     DOUBLE   -- Share of the GPU's kernel time.
--     not_covered                  VARCHAR  -- Why there is no occupancy; NULL if there is.
WITH shape AS (
    SELECT
        coalesce(gpu_device.gpu_id, kernel.device_id) AS gpu_id,
        kernel.name_id,
        kernel.grid_x,
        kernel.grid_y,
        kernel.grid_z,
        kernel.block_x,
        kernel.block_y,
        kernel.block_z,
        kernel.registers_per_thread,
        kernel.static_shared_memory_bytes,
        kernel.dynamic_shared_memory_bytes,
        kernel.cluster_blocks,
        count(*) AS count,
        sum(kernel.dur_ns)::BIGINT AS total_ns
    FROM _kernel_ids AS kernel
    LEFT JOIN gpu_device ON kernel.pid = gpu_device.pid AND kernel.device_id = gpu_device.device_id
    WHERE $gpu IS NULL OR coalesce(gpu_device.gpu_id, kernel.device_id) = $gpu
    GROUP BY ALL
),

limited_shape AS (
    SELECT
        shape.*,
        gpu.sm_count,
        coalesce(nullif(gpu.compute_capability, '0.0'), $compute_capability) AS asked_capability,
        CASE
            WHEN shape.cluster_blocks > 1 THEN 'thread block cluster of ' || shape.cluster_blocks || ' blocks'
            WHEN
                shape.registers_per_thread IS NULL
                OR shape.grid_x * shape.grid_y * shape.grid_z IS NULL
                OR shape.block_x * shape.block_y * shape.block_z IS NULL
                OR shape.static_shared_memory_bytes + shape.dynamic_shared_memory_bytes IS NULL
                THEN 'the export lacks a part of the launch shape'
            WHEN asked_capability IS NULL
                THEN 'unknown compute capability; give it with --compute-capability'
            WHEN capability.compute_capability IS NULL
                THEN 'limits of compute capability ' || asked_capability || ' are not known'
        END AS not_covered,
        {
            'max_warps': coalesce(own.max_warps, capability.max_warps),
            'max_blocks': coalesce(own.max_blocks, capability.max_blocks),
            'max_registers': coalesce(own.max_registers, capability.max_registers),
            'shared_memory_bytes': coalesce(own.shared_memory_bytes, capability.shared_memory_bytes),
            'max_block_bytes': capability.max_block_bytes,
            'reserved_shared_memory_bytes': capability.reserved_shared_memory_bytes,
            'shared_memory_granule_bytes': capability.shared_memory_granule_bytes,
            'sub_partitions': capability.sub_partitions
        } AS sm,
        shape.grid_x * shape.grid_y * shape.grid_z AS blocks,
        warps_of(shape.block_x * shape.block_y * shape.block_z) AS warps
    FROM shape
    LEFT JOIN gpu ON shape.gpu_id = gpu.gpu_id
    LEFT JOIN _gpu_limit AS own ON shape.gpu_id = own.gpu_id
    LEFT JOIN _compute_capability AS capability
        ON
            shape.cluster_blocks = 1
            AND coalesce(nullif(gpu.compute_capability, '0.0'), $compute_capability) = capability.compute_capability
),

taken AS (
    SELECT
        *,
        unnest(
            blocks_per_sm(
                warps, registers_per_thread, static_shared_memory_bytes + dynamic_shared_memory_bytes, sm
            )
        ) AS taken
    FROM limited_shape
),

resident AS (
    SELECT
        *,
        sm.max_warps,
        sm.max_blocks,
        CASE
            WHEN not_covered IS NULL THEN least(sm.max_blocks, by_threads, by_registers, by_shared_memory)
        END AS blocks_per_sm,
        nullif(blocks_per_sm * sm_count, 0) AS wave_blocks
    FROM taken
)

SELECT
    resident.gpu_id,
    string.text AS name,
    concat_ws(' x ', resident.grid_x, resident.grid_y, resident.grid_z) AS grid,
    concat_ws(' x ', resident.block_x, resident.block_y, resident.block_z) AS block,
    resident.registers_per_thread,
    resident.static_shared_memory_bytes,
    resident.dynamic_shared_memory_bytes,
    100 * resident.blocks_per_sm * resident.warps / resident.max_warps AS occupancy_pct,
    CASE
        WHEN resident.wave_blocks IS NOT NULL
            THEN
                100
                * least(resident.blocks, resident.wave_blocks)
                * resident.warps
                / (resident.max_warps * resident.sm_count)
    END AS gpu_occupancy_pct,
    nullif(
        concat_ws(
            ', ',
            CASE WHEN resident.by_registers = resident.blocks_per_sm THEN 'registers' END,
            CASE WHEN resident.by_shared_memory = resident.blocks_per_sm THEN 'shared memory' END,
            CASE WHEN resident.by_threads = resident.blocks_per_sm THEN 'threads' END,
            CASE WHEN resident.max_blocks = resident.blocks_per_sm THEN 'blocks' END
        ),
        ''
    ) AS limited_by,
    resident.blocks_per_sm,
    resident.blocks / resident.wave_blocks AS waves,
    100 * ((resident.blocks - 1) % resident.wave_blocks + 1) / resident.wave_blocks AS last_wave_pct,
    resident.count,
    resident.total_ns,
    100 * resident.total_ns / nullif(sum(resident.total_ns) OVER (PARTITION BY resident.gpu_id), 0) AS time_pct,
    resident.not_covered
FROM resident
LEFT JOIN string ON resident.name_id = string.id
ORDER BY
    resident.gpu_id ASC,
    resident.total_ns DESC,
    string.text ASC NULLS FIRST,
    resident.grid_x ASC,
    resident.grid_y ASC,
    resident.grid_z ASC,
    resident.block_x ASC,
    resident.block_y ASC,
    resident.block_z ASC,
    resident.registers_per_thread ASC,
    resident.static_shared_memory_bytes ASC,
    resident.dynamic_shared_memory_bytes ASC,
    resident.cluster_blocks ASC,
    resident.name_id ASC
