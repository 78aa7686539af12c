-- Kernels of the parts that rules judge (steps, other GPU work), with the part and the GPU.
--
-- Needs  _kernel_ids
-- Engine  table
-- Columns
--     part_id               BIGINT   -- The part.
--     gpu_id                BIGINT   -- Physical GPU.
--     name                  VARCHAR  -- Demangled name.
--     library               VARCHAR  -- Library that it belongs to; NULL for the program's own.
--     class                 VARCHAR  -- own, library, elementwise, matrix, layout, softmax, reduction, attention or communication.
--     precision             VARCHAR  -- fp64, fp32, tf32 or fp16, as the name says; NULL if it does not.
--     block_count           BIGINT   -- Blocks of a launch.
--     thread_count          BIGINT   -- Threads of a block.
--     registers_per_thread  BIGINT   -- Registers.
--     shared_memory_bytes   BIGINT   -- Shared memory of a block.
--     total_ns              BIGINT   -- Time.
--     count                 BIGINT   -- Launches.
--     alone_ns              BIGINT   -- Time in which nothing else ran.
--     median_ns             DOUBLE   -- Median duration.
--     longest_ns            BIGINT   -- Longest.
--     stream_count          BIGINT   -- Streams on which it ran.
--     first_row_id          BIGINT   -- Position of the first in the export's table.
--     launches_before       BIGINT   -- Kernels of this name, of any shape, that the process ran before the first of these.
--     part_ns               BIGINT   -- Length of the part.
--     busy_ns               BIGINT   -- Time in which the GPU worked there.
--     step_count            BIGINT   -- Its steps; series only.
--     sm_count              BIGINT   -- SMs of the GPU; NULL if not known.
SELECT
    kernel.* EXCLUDE (step_count),
    part.length_ns AS part_ns,
    part.busy_ns,
    part.step_count,
    gpu.sm_count
FROM part
INNER JOIN part_kernel AS kernel ON part.part_id = kernel.part_id
LEFT JOIN gpu ON part.gpu_id = gpu.gpu_id
WHERE part.kind IN ('series', 'rest', 'work')
