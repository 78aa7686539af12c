-- Kernels of a part by name and launch shape: time, and the time in which the GPU ran nothing else.
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
--     step_count            BIGINT   -- Steady steps in which it ran.
--     stream_count          BIGINT   -- Streams on which it ran.
--     first_row_id          BIGINT   -- Position of the first in the export's table.
--     launches_before       BIGINT   -- Kernels of this name, of any shape, that the process ran before the first of these.
WITH run AS (
    SELECT
        work.part_id,
        work.gpu_id,
        work.step,
        work.stream_id,
        work.alone_ns,
        work.is_communication,
        work.end_ns - work.start_ns AS dur_ns,
        kernel.row_id,
        kernel.name_id,
        kernel.grid_x * kernel.grid_y * kernel.grid_z AS block_count,
        kernel.block_x * kernel.block_y * kernel.block_z AS thread_count,
        kernel.registers_per_thread,
        coalesce(kernel.static_shared_memory_bytes, 0)
        + coalesce(kernel.dynamic_shared_memory_bytes, 0) AS shared_memory_bytes,
        row_number() OVER (PARTITION BY work.process_id, kernel.name_id ORDER BY work.start_ns, kernel.row_id)
        - 1 AS nth
    FROM _part_activity AS work
    INNER JOIN _kernel_ids AS kernel ON work.row_id = kernel.row_id
    WHERE work.kind = 'kernel'
)

SELECT
    run.part_id,
    run.gpu_id,
    string.text AS name,
    kind.library,
    CASE WHEN run.is_communication THEN 'communication' ELSE kind.class END AS class,
    kind.precision,
    run.block_count,
    run.thread_count,
    run.registers_per_thread,
    run.shared_memory_bytes,
    sum(run.dur_ns)::BIGINT AS total_ns,
    count(*) AS count,
    sum(run.alone_ns)::BIGINT AS alone_ns,
    median(run.dur_ns) AS median_ns,
    max(run.dur_ns) AS longest_ns,
    count(DISTINCT run.step) AS step_count,
    count(DISTINCT run.stream_id) AS stream_count,
    min(run.row_id) AS first_row_id,
    min(run.nth) AS launches_before
FROM run
LEFT JOIN string ON run.name_id = string.id
LEFT JOIN _kernel_class AS kind ON run.name_id = kind.name_id
GROUP BY ALL
