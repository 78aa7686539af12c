-- Kernels compiled at run time during the work, not only before it.
--
-- Host code in at least three gaps in which the program has the driver load or link code (cuModuleLoadData, cuLinkCreate).
-- Outside of steps only if the last of these gaps comes after half of the work and the GPU works over 15 % of the time.
-- What the host did before is not recorded: loading code from a cache looks the same, but takes less time.
-- Needs  _idle_gap
-- Finding
--     says  Kernels are compiled again and again: the GPU is idle for {total_ns} in {gap_count} gaps in which new code is loaded.
--     do if is_torch  Compile once: keep shapes the same (padding) or use dynamic=True; TORCH_LOGS=recompiles logs what changed.
--     do  Compile once: keep shapes and constants the same in each step, or warm up with all of them; in JAX, jax_log_compiles logs what is compiled.
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
