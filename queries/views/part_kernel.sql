-- Kernels of a part by name and launch shape: time, and the time in which the GPU ran nothing else.
--
-- Needs  _kernel_ids
-- Engine  table
-- Columns
--     usual: part_id, gpu_id
--     name                  VARCHAR  -- Demangled name.
--     library               VARCHAR  -- Library that it belongs to; NULL for the program's own.
--     class                 VARCHAR  -- own, library, elementwise, matrix, layout, softmax, reduction, attention or communication.
--     precision             VARCHAR  -- fp64, fp32, tf32 or fp16, from the name; NULL if it does not say.
--     block_count           BIGINT   -- Blocks of a launch.
--     thread_count          BIGINT   -- Threads of a block.
--     registers_per_thread  BIGINT   -- Registers.
--     shared_memory_bytes   BIGINT   -- Shared memory of a block.
--     cluster_blocks        BIGINT   -- Blocks of a thread block cluster; 1 without.
--     total_ns              BIGINT   -- Time.
--     count                 BIGINT   -- Launches.
--     alone_ns              BIGINT   -- Time in which nothing else ran.
--     median_ns             DOUBLE   -- Median duration.
--     longest_ns            BIGINT   -- Longest.
--     step_count            BIGINT   -- Steady steps in which it ran.
--     stream_count          BIGINT   -- Streams on which it ran.
--     first_row_id          BIGINT   -- Position of the first in the export's table.
WITH name AS (
    SELECT
        kind.name_id AS id,
        string.text AS name,
        kind.library,
        kind.class,
        kind.precision,
        min(kind.name_id) OVER (PARTITION BY string.text, kind.library, kind.class, kind.precision) AS name_id
    FROM _kernel_class AS kind
    LEFT JOIN string ON kind.name_id = string.id
),

run AS (
    SELECT
        part_id,
        gpu_id,
        step,
        stream_id,
        row_id,
        is_communication,
        alone_ns,
        end_ns - start_ns AS dur_ns
    FROM _part_activity
    WHERE kind = 'kernel'
),

shape AS (
    SELECT
        run.part_id,
        run.gpu_id,
        name.name_id,
        run.is_communication,
        kernel.grid_x * kernel.grid_y * kernel.grid_z AS block_count,
        kernel.block_x * kernel.block_y * kernel.block_z AS thread_count,
        kernel.registers_per_thread,
        coalesce(kernel.static_shared_memory_bytes, 0)
        + coalesce(kernel.dynamic_shared_memory_bytes, 0) AS shared_memory_bytes,
        kernel.cluster_blocks,
        sum(run.dur_ns)::BIGINT AS total_ns,
        count(*) AS count,
        sum(run.alone_ns)::BIGINT AS alone_ns,
        median(run.dur_ns) AS median_ns,
        max(run.dur_ns) AS longest_ns,
        count(DISTINCT run.step) AS step_count,
        count(DISTINCT run.stream_id) AS stream_count,
        min(run.row_id) AS first_row_id
    FROM run
    INNER JOIN _kernel_ids AS kernel ON run.row_id = kernel.row_id
    LEFT JOIN name ON kernel.name_id = name.id
    GROUP BY ALL
)

SELECT
    shape.part_id,
    shape.gpu_id,
    name.name,
    name.library,
    CASE WHEN shape.is_communication THEN 'communication' ELSE name.class END AS class,
    name.precision,
    shape.* EXCLUDE (part_id, gpu_id, name_id, is_communication)
FROM shape
LEFT JOIN name ON shape.name_id = name.id
