-- Elementwise kernels in a row over the same data.
--
-- Over 5 % of the kernel time in elementwise, copy, cast and optimizer kernels: each reads and writes all of its data.
-- Needs  _kernel_ids
-- Finding
--     says  {count} elementwise kernels take {total_ns}.
--     do  Fuse them: torch.compile, a fused optimizer (fused=True, foreach), jit.
-- Columns
--     count  BIGINT   -- Launches.
SELECT
    part.part_id,
    part.gpu_id,
    any_value('elementwise') AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    (sum(kernel.alone_ns * (0.5)))::BIGINT AS saves_ns,
    'about' AS bound,
    'likely' AS certainty,
    false AS once,
    'elementwise' AS claims,
    sum(kernel.count)::BIGINT AS count
FROM part
INNER JOIN part_kernel AS kernel ON part.part_id = kernel.part_id
LEFT JOIN gpu ON part.gpu_id = gpu.gpu_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND kernel.class = 'elementwise'
GROUP BY part.part_id, part.gpu_id
HAVING sum(kernel.total_ns) > 0.05 * any_value(part.busy_ns) AND sum(kernel.count) >= 10
ORDER BY part.part_id ASC, saves_ns DESC, subject ASC
