-- Kernels compiled at run time in the steps, not only before them.
--
-- Host code in gaps in which the driver loads or links code that it is given (cuModuleLoadData, cuLink), in at least three.
-- What the host did before is not recorded: loading code from a cache looks alike, but takes less.
-- Needs  _idle_gap
-- Finding
--     says  Kernels are compiled in the steps: the GPU is idle for {total_ns} in {gap_count} gaps in which new code is loaded.
--     do if is_torch  Compile once: the same shapes (padding, dynamic=True); TORCH_LOGS=recompiles says what changed.
--     do  Compile once: the same shapes and constants in each step, or a warm-up with all of them; jax_log_compiles says what JAX compiles.
-- Columns
--     gap_count   BIGINT   -- Gaps.
--     is_torch    BOOLEAN  -- A Python program launches PyTorch's kernels.
SELECT
    claim.part_id,
    claim.gpu_id,
    claim.subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'long' AS claims,
    claim.gap_count,
    torch.part_id IS NOT NULL AS is_torch
FROM _part_claim AS claim
LEFT JOIN _torch_part AS torch ON claim.part_id = torch.part_id
WHERE claim.code = 'recompilation'
ORDER BY claim.part_id
