-- Kernels compiled at run time during the work, not only before it.
--
-- Host code in at least three gaps in which the program has the driver load or link code (cuModuleLoadData, cuLinkCreate).
-- Outside of steps only if the last of these gaps comes after half of the work and the GPU works over 15 % of the time; in
-- steps it happens once if it does not: programs compile what they need in their first steps.
-- What the host did before is not recorded: loading code from a cache looks the same, but takes less time.
-- Needs  _idle_gap
-- Finding
--     says if is_early  Kernels are compiled during the first half of the GPU's work, not later: the GPU is idle for {total_ns} in {gap_count} gaps in which new code is loaded.
--     says  Kernels are compiled again and again: the GPU is idle for {total_ns} in {gap_count} gaps in which new code is loaded.
--     do if is_early  Warm up before you measure, or keep the compiler's cache (TRITON_CACHE_DIR, jax_compilation_cache_dir, CUPY_CACHE_DIR, Numba's cache=True).
--     do if is_torch  Compile once: keep shapes the same (padding) or use dynamic=True; TORCH_LOGS=recompiles logs what changed.
--     do  Compile once: keep shapes and constants the same in each step, or warm up with all of them; in JAX, jax_log_compiles logs what is compiled.
-- Columns
--     gap_count   BIGINT   -- Gaps.
--     is_early    BOOLEAN  -- The last such gap comes before half of the part's GPU work.
--     is_torch    BOOLEAN  -- A Python program launches PyTorch's kernels.
WITH gap AS (
    SELECT
        part_id,
        gap_id,
        end_ns - sum(end_ns - start_ns) OVER (PARTITION BY part_id ORDER BY start_ns) AS worked_until_ns
    FROM _part_gap
),

early AS (
    SELECT part.part_id
    FROM gap
    SEMI JOIN _compiling_gap AS compiling ON gap.part_id = compiling.part_id AND gap.gap_id = compiling.gap_id
    INNER JOIN part ON gap.part_id = part.part_id
    WHERE part.kind = 'series'
    GROUP BY part.part_id, part.start_ns, part.busy_ns
    HAVING 2 * (max(gap.worked_until_ns) - part.start_ns) < part.busy_ns
)

SELECT
    claim.part_id,
    claim.gpu_id,
    claim.subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    early.part_id IS NOT NULL AS once,
    'long' AS claims,
    claim.gap_count,
    early.part_id IS NOT NULL AS is_early,
    torch.part_id IS NOT NULL AS is_torch
FROM _part_claim AS claim
LEFT JOIN early ON claim.part_id = early.part_id
LEFT JOIN _torch_part AS torch ON claim.part_id = torch.part_id
WHERE claim.code = 'recompilation'
ORDER BY claim.part_id
