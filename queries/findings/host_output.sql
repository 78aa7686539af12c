-- The launching thread prints or writes while the GPU is idle.
--
-- Calls of printing and writing functions, or CPU samples in them.
-- Needs  _idle_gap
-- Finding
--     says  The launching thread writes output ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do  Print after the timed part, less often, or in another thread.
-- Columns
--     gap_count   BIGINT   -- Gaps.
--     longest_ns  BIGINT   -- The longest.
--     nvtx_path   VARCHAR  -- NVTX ranges of most of it.
SELECT
    claim.part_id,
    claim.gpu_id,
    coalesce(claim.subject, 'output') AS subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'long' AS claims,
    claim.gap_count,
    claim.longest_ns,
    claim.nvtx_path
FROM _part_claim AS claim
WHERE claim.code = 'host-output'
ORDER BY claim.part_id
