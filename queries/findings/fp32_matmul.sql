-- Matrix products in float32 on a GPU with tensor cores.
--
-- Over 1 % of the busy time. The bound assumes NVIDIA's peak rates (view _gpu_peak): TF32 if that is faster than float32 on
-- this GPU, else FP16. Products with a vector (gemv) are limited by memory: half as many bytes take half the time.
-- Needs  _kernel_ids
-- Finding
--     says  Float32 matrix products without tensor cores: {total_ns} in {count} kernels ({subject}).
--     do if is_vector  Use fp16 or bf16 (PyTorch: autocast): products with a vector are limited by memory, and read half as much then.
--     do if is_torch_tf32  Use TF32: torch.set_float32_matmul_precision("high"); autocast to bf16 can save more.
--     do if is_torch  Use autocast to fp16.
--     do if has_tf32  Use TF32 (cuBLAS: CUBLAS_TF32_TENSOR_OP_MATH); bf16 can save more.
--     do  Use fp16 (cuBLAS: cublasGemmEx): tensor cores compute it.
-- Parameters
--     least_share  DOUBLE = NULL  -- Share of the busy time; NULL takes that of `thresholds`.
-- Columns
--     count          BIGINT   -- Launches.
--     is_vector      BOOLEAN  -- Most of it are products with a vector.
--     has_tf32       BOOLEAN  -- TF32 is faster than float32 on this GPU.
--     is_torch       BOOLEAN  -- A Python program launches PyTorch's kernels.
--     is_torch_tf32  BOOLEAN  -- Both.
WITH product AS (
    SELECT
        *,
        regexp_matches(name, 'gemv', 'i') AS is_vector
    FROM _judged_kernel
    WHERE class = 'matrix' AND precision = 'fp32'
)

SELECT
    kernel.part_id,
    kernel.gpu_id,
    arg_max(kernel.name, row(kernel.total_ns, kernel.name)) AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    (
        sum(
            kernel.alone_ns * CASE
                WHEN kernel.is_vector THEN 0.5 ELSE 1 - 1 / if(peak.tf32_ratio > 1, peak.tf32_ratio, peak.half_ratio)
            END
        )
    )::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'matrix' AS claims,
    sum(kernel.count)::BIGINT AS count,
    2 * coalesce(sum(kernel.total_ns) FILTER (WHERE kernel.is_vector), 0) > sum(kernel.total_ns) AS is_vector,
    bool_or(peak.tf32_ratio > 1) AS has_tf32,
    bool_or(torch.part_id IS NOT NULL) AS is_torch,
    has_tf32 AND is_torch AS is_torch_tf32
FROM product AS kernel
INNER JOIN _gpu_peak AS peak ON kernel.gpu_id IS NOT DISTINCT FROM peak.gpu_id
LEFT JOIN _torch_part AS torch ON kernel.part_id = torch.part_id
WHERE peak.half_ratio > 1
GROUP BY kernel.part_id, kernel.gpu_id, kernel.busy_ns
HAVING sum(kernel.total_ns) > coalesce($least_share, MATRIX_SHARE) * kernel.busy_ns
ORDER BY kernel.part_id ASC, saves_ns DESC, subject ASC
