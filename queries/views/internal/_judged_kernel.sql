-- Kernels of the parts that rules judge (steps, other GPU work), with the part and the GPU.
--
-- Needs  _kernel_ids
-- Engine  table
-- Columns
--     part_kernel: part_id, gpu_id, name, library, class, precision, block_count, thread_count, registers_per_thread
--     part_kernel: shared_memory_bytes, cluster_blocks, total_ns, count, alone_ns, median_ns, longest_ns, stream_count, first_row_id
--     part_ns               BIGINT   -- Length of the part.
--     busy_ns               BIGINT   -- Time in which the GPU worked there.
--     step_count            BIGINT   -- Its steps; series only.
--     sm_count              BIGINT   -- SMs of the GPU; NULL if not known.
--     filled_ns             DOUBLE   -- Time that its blocks would take spread over all SMs; NULL if not known.
SELECT
    kernel.* EXCLUDE (step_count),
    part.length_ns AS part_ns,
    part.busy_ns,
    part.step_count,
    gpu.sm_count,
    kernel.total_ns * least(1, kernel.block_count / gpu.sm_count) AS filled_ns
FROM part
INNER JOIN part_kernel AS kernel ON part.part_id = kernel.part_id
LEFT JOIN gpu ON part.gpu_id = gpu.gpu_id
WHERE part.kind IN ('series', 'rest', 'work')
