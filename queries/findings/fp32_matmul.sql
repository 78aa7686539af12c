-- Matrix products in float32 on a GPU with tensor cores.
--
-- Over 1 % of the busy time. The bound assumes NVIDIA's peak rates (view _gpu_peak): TF32 if that is faster than float32 on
-- this GPU, else FP16.
-- Needs  _kernel_ids
-- Finding
--     says  Float32 matrix products without tensor cores: {total_ns} in {count} kernels ({subject}).
--     do if has_tf32  Use TF32: torch.set_float32_matmul_precision("high"); autocast to bf16 can save more.
--     do  Use autocast to fp16.
-- Parameters
--     least_share  DOUBLE = NULL  -- Share of the busy time; NULL takes that of `thresholds`.
-- Columns
--     count     BIGINT   -- Launches.
--     has_tf32  BOOLEAN  -- TF32 is faster than float32 on this GPU.
SELECT
    kernel.part_id,
    kernel.gpu_id,
    arg_max(kernel.name, row(kernel.total_ns, kernel.name)) AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    (sum(kernel.alone_ns * (1 - 1 / if(peak.tf32_ratio > 1, peak.tf32_ratio, peak.half_ratio))))::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'matrix' AS claims,
    sum(kernel.count)::BIGINT AS count,
    bool_or(peak.tf32_ratio > 1) AS has_tf32
FROM _judged_kernel AS kernel
CROSS JOIN thresholds AS least
INNER JOIN _gpu_peak AS peak ON kernel.gpu_id IS NOT DISTINCT FROM peak.gpu_id
WHERE kernel.class = 'matrix' AND kernel.precision = 'fp32' AND peak.half_ratio > 1
GROUP BY kernel.part_id, kernel.gpu_id, kernel.busy_ns, least.matrix_share
HAVING sum(kernel.total_ns) > coalesce($least_share, least.matrix_share) * kernel.busy_ns
ORDER BY kernel.part_id ASC, saves_ns DESC, subject ASC
